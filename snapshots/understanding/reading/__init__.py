"""Read a message in English or Chinese: clauses, sentences, courtesies, and the modality of clauses."""
