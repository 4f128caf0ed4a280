"""Questions put to rankings, and the figures of each."""
