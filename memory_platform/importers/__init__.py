"""Ways in from other memory systems: their files become lines of our own export, messages and preferences."""
