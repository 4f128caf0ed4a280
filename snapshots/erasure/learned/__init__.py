"""What was learned from messages that are forgotten, and goes with them."""
