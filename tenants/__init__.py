"""Tenants, members, keys, limits and usage, and the wall between tenants."""
