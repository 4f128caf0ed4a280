"""What a later sentence does to notes: end them, make them doubtful, or say them again."""
