"""Cuts a document that was read into chunks, by its structure first."""

from snapshots.knowledge.chunking.chunk_cutter import cut_chunks

__all__ = ["cut_chunks"]
