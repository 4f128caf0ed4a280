"""Calls of the faces for other makers' clients, measured beside calls of the platform that do the same."""
