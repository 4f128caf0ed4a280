"""The Django project: composition at the top, plumbing at the bottom."""
