"""From graded clauses, answers to asks and consent to drafts of notes and replies."""
