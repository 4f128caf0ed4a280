"""Transcripts of conversations: the turns, what was learned from them, and the answers that were made at them."""
