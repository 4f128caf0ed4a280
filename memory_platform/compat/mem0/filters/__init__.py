"""The filters of mem0's clients: read, and translated for lists and for recall."""
