"""A subject's memory packed for scoring: rows as arrays, without any text."""
