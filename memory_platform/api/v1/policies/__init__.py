"""Versions of a tenant's policy, and experiments with them."""
