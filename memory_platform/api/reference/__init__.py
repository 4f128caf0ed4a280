"""The contract as a document: schema, pages, examples."""
