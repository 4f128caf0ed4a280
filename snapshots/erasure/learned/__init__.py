"""Beliefs and tags that were learned from forgotten messages, and go with them."""
