"""The Django project: composition on top, plumbing at the bottom."""
