"""Logging in to the console: limits, second factor, OpenID provider, sessions, forgotten passwords."""
