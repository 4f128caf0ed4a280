"""The calls of mem0's clients, each a thin door to a function of the REST API."""
