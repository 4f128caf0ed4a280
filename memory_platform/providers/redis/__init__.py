"""Redis that may be away, and scripts that run in it."""
