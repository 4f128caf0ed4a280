"""Claiming work, running its handler, and settling the result."""
