"""Explain a prompt's contents: candidates, scores and outcomes."""
