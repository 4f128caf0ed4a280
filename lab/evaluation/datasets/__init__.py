"""Data sets of conversations and questions: read, imported, tied together."""
