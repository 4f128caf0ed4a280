"""Doors for other makers' clients: each speaks their words and calls what the REST API calls."""
