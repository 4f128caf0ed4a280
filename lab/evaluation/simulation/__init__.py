"""Simulated days of conversation and their cost."""
