"""Who calls, what the key may do, and how often."""
