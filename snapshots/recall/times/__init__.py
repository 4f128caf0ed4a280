"""The times that a text names, in English and Chinese."""
