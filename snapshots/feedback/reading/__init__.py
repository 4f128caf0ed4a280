"""Read a user's turn as feedback on the reply before it."""
