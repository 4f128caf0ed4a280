"""Searching for better numbers, and what each optimisation is worth."""
