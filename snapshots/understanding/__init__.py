"""From messages to memory: clauses are read, graded and kept as notes; slots become beliefs."""
