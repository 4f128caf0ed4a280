"""Screens of receipts, and the playground that makes prompts on trial."""
