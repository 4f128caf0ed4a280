"""From graded clauses to drafts of notes and replies."""
