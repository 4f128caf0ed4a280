"""Prefixes of prompts that a vendor keeps, so that they are not sent anew."""
