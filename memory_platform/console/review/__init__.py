"""Screens of what waits for a decision: candidates, doubtful memories, questions, orders to forget."""
