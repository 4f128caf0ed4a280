"""Statements: each message as a snapshot of its own, with topics and importance."""
