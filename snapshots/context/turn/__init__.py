"""What the user is after in this turn, and which model it calls for: rules, readers, a model where one is asked."""
