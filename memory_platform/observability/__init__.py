"""Logs, metrics and request ids. They never hold a tenant's data."""
