"""Doors for other makers' clients: each speaks their words and calls the functions that the REST API calls."""
