"""Turn rows into the items, turns and passages that may go into a context."""
