"""Vectors and index rows of memories, in every configured embedding space."""
