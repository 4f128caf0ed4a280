"""The missing information of a profile, and the question to ask next."""
