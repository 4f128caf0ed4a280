"""Management commands and their common parts."""
