"""Assembled contexts in each vendor's form, with the cache's breakpoint."""
