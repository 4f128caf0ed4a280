"""Webhooks: a tenant's own addresses get the events of its memory, signed, at least once."""
