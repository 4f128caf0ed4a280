"""Reading conversations, snapshots and receipts."""
