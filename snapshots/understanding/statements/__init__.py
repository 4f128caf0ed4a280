"""Statements: the own words of each message as a snapshot, with topics and importance."""
