"""Indicators of a period as tiles, charts and tables."""
