"""Experiments: their arms, start and end, and how well each arm serves."""
