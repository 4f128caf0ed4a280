"""Checks of addresses, bodies and fields."""
