"""Words that a prompt showed are not learned again when they come back in a message."""
