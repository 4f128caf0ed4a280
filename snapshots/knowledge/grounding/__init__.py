"""Check the sentences of an answer against documents: which are supported, by which passage, and the differences."""
