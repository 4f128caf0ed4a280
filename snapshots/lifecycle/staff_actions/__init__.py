"""What staff do to one memory, and taking it back."""
