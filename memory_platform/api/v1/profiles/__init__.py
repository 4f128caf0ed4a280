"""Endpoints for subjects, profiles, preferences and tags."""
