"""What can go wrong with snapshots."""
