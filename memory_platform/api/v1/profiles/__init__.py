"""Subjects and what is known of them directly: profile, preferences, tags."""
