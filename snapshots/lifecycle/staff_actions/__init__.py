"""Actions of staff on one memory, and undoing them."""
