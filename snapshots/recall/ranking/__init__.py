"""Score and rank one image for one question."""
