"""Corrections: what a message says is otherwise, of slots and of notes."""
