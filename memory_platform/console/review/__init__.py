"""Screens of what waits for a decision: candidates, memories in question, asks, orders to forget."""
