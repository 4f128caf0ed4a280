"""Screens of documents and their collections."""
