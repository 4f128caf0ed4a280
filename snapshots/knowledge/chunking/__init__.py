"""Cuts a document that was read into chunks, by its structure first."""
