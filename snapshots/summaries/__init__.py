"""Conversations made short: the running summary, and the snapshots that an end leaves."""
