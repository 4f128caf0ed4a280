"""Calls to endpoints that may hang, fail or be away."""
