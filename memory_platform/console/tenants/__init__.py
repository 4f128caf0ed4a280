"""Screens of tenants: members, keys, limits, models, support sessions."""
