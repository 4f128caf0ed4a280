"""Filters of a recall: their grammar, and the rows that match."""
