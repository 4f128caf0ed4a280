"""Authentication, scopes and rate limits."""
