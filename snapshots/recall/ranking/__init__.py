"""Score and rank one index for one question."""
