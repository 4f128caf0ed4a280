"""Embedded Postgres and Redis."""
