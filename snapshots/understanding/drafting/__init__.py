"""From graded clauses to notes: which clauses stand together, what a note says beside its words."""
