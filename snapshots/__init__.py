"""Messages and the memory made of them, from intake to context."""
