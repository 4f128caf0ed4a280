"""Faults as answers: problem+json with a stable code."""
