"""Connections, middleware and health checks."""
