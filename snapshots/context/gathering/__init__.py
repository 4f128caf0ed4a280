"""What may go into a context: rows become items, turns and passages."""
