"""The record of each context: candidates, sent messages and reasons."""
