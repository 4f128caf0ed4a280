"""Read a message in English or Chinese: clauses, sentences, people, and the modality of clauses."""
