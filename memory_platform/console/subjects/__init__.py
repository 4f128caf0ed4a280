"""The page of a person: finding it, what it shows, what leaves with it."""
