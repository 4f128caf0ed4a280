"""Notes, snapshots and tasks, and what becomes of them."""
