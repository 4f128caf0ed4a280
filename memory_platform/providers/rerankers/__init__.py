"""Rerankers, one file each."""
