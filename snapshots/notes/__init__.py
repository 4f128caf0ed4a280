"""Notes: one lasting thing in the user's own words. Written by staff, products and the worker."""

pass
