"""Embedding models, one file each."""
