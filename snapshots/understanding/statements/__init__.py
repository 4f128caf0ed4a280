"""The message itself as something to be found: worth, topics, tokens."""
