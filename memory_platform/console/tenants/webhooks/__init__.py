"""Webhooks in the console: the addresses, and what each was told."""
