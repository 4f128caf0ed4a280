"""Configuration from the environment, read here alone."""
