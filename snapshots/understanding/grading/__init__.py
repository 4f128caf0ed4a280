"""How likely a clause says something that lasts: one small taught reader."""
