"""Edits, reviews, calibration and retention of memories."""
