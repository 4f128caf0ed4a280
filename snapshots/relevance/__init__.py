"""The probability that a memory helps to answer a question."""
