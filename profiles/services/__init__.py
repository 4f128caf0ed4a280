"""Reads and writes of profiles, preferences and tags, with two clocks."""
