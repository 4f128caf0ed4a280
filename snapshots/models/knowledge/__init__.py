"""Documents of a tenant beside its memory: collections, documents, and the chunks that are searched."""

from snapshots.models.knowledge.chunk import Chunk
from snapshots.models.knowledge.chunk_index import IndexedChunk, IndexPart, PostingBlock, VectorCell
from snapshots.models.knowledge.document import Document, DocumentBody, DocumentCollection, DocumentStatus

__all__ = [
    "Chunk",
    "Document",
    "DocumentBody",
    "DocumentCollection",
    "DocumentStatus",
    "IndexPart",
    "IndexedChunk",
    "PostingBlock",
    "VectorCell",
]
