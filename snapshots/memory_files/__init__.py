"""Files that a model keeps about a person, and views of what is remembered, as Anthropic's memory tool has them."""
