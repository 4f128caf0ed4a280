"""Reads the content of a document, of any type that is accepted, into blocks."""

from snapshots.knowledge.reading.document_reader import read_document

__all__ = ["read_document"]
