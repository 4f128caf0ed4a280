"""What a message puts right or ends of what is held."""
