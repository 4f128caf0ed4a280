"""Corrections in messages, of slots and of notes."""
