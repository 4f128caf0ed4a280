"""Threads of agents: their checkpoints, the values of their channels and the pending writes."""
