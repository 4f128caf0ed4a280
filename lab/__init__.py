"""The laboratory: measures and teaches the product; the product never imports it."""
