"""What prompts had shown is not learned again when it comes back in a message."""
