"""A tenant's documents: stored, changed, listed and deleted, within its limits and collections."""
