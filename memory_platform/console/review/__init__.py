"""Screens for decisions: candidates, doubtful memories, questions, orders to forget."""
