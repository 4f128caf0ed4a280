"""A tenant's limits, usage and costs."""
