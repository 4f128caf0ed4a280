"""Claiming work, having it done, and settling what became of it."""
