"""Configuration from the environment. Only this package reads it."""
