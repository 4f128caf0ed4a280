"""Subjects and the beliefs about them: profile, preferences, tags."""
