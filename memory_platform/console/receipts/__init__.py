"""Screens of receipts, and the playground that makes trial prompts."""
