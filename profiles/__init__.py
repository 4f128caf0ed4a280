"""Subjects and what is believed about them: profile, preferences, tags."""
