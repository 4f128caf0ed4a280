"""Transcripts of conversations: the turns, the memories learned from them, and the answers that were made at them."""
