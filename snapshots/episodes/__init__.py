"""Finished tasks of an agent, kept as memories of how they went."""
