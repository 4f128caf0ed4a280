"""Documents over the API."""
