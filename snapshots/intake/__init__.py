"""A message comes in: screen it, store it with its work, apply corrections at once."""
