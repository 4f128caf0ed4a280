"""Choose what is worth its tokens: no repeats, nothing irrelevant, nothing that poses as an order."""
