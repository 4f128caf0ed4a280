"""Worlds that are measured: subjects, talks, questions."""
