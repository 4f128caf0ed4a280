"""Reading what a user's turn says about the reply before it."""
