"""What all screens share: rights, lists, filters, how values are shown."""
