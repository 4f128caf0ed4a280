"""Keeping the index whole: what is missing, unread or no longer used."""
