"""Reads and writes of tenants: keys, members, audit, policies, usage."""
