"""Find the chunks of documents that answer a question, and cite them."""
