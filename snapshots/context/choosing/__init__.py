"""What of it is worth its tokens: nothing twice, nothing beside the question, nothing that poses as an order."""
