"""Webhooks in the console: the addresses, and the deliveries to each."""
