"""Erase a memory, a conversation or a subject, prove it, and sign a certificate."""
