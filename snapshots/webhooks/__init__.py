"""Webhooks: a tenant's own addresses hear what happens to its memory, signed, at least once."""
