"""Weights of searches of documents and of checks by them, fitted on questions and sentences about fetched pages."""
