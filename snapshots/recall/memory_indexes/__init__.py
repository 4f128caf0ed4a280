"""A subject's memory as arrays that are quick to score."""
