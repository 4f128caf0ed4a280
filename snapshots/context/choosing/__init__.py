"""Choose items worth their tokens: no repeats, nothing irrelevant, no injected instructions."""
