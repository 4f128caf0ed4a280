"""Parts that all screens share: rights, lists, filters, and how values are rendered."""
