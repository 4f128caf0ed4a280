"""From a message to clauses, in English and Chinese."""
