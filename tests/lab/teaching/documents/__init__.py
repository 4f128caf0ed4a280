"""Weights of documents."""
