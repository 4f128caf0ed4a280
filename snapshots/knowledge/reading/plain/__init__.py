"""Reads text without marks of its own: prose, logs of chats, JSON lines."""
