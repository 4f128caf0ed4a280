"""Read a message in English or Chinese: clauses, sentences, people, and what a clause states."""
