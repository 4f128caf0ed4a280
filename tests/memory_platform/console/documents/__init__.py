"""Documents in the console."""
