"""Threads of agents: their checkpoints, the values of their channels and what is still to be applied."""
