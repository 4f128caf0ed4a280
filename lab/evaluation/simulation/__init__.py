"""Days of conversation lived through, with what they cost."""
