"""Questions to the memory: recall, contexts, their receipts and what came of them."""
