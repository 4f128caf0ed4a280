"""The index of chunks."""
