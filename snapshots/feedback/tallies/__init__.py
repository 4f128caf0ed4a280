"""Feedback counted by memory, by day and by arm."""
