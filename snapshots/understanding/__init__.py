"""From what people say to memory: clauses are read, graded, and kept as notes."""
