"""What came of memories, counted by memory, by day and by arm."""
