"""Classify the user's turn: intent, phase, correction, and the tier of model it calls for."""
