"""Other words for a question, by a chat model, and what all of them find together."""
