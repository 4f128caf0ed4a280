"""Reads the content of a document, of any type that is accepted, into blocks."""
