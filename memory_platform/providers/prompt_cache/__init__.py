"""Assembled contexts in each vendor's format, with the cache breakpoint."""
