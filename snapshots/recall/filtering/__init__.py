"""Which memories a filter lets through: its grammar, and what it is true of."""
