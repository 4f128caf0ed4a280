"""The calls of mem0's clients, each a thin door to what the REST API does."""
