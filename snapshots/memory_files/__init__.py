"""Files that a model keeps about a person, and views of memory, as Anthropic's memory tool has them."""
