"""Summaries of conversations: the running summary, and the snapshots at the end."""
