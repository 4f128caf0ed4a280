"""The numbers of storing documents and of processing them."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class DocumentConfig:
    """Limits of one document, and how it is processed."""

    # Bytes of one upload. The limit of a request with a document is a little larger: JSON escapes, and other fields.
    upload_bytes: int = promised(32 * 1024**2)
    title_chars: int = assumed(500, owner="knowledge", settle_by="the longest title of a real document")
    url_bytes: int = assumed(2048, owner="knowledge", settle_by="the longest address of a real document")
    metadata_bytes: int = assumed(16 * 1024, owner="knowledge", settle_by="what products keep with a document")
    label_chars: int = assumed(100, owner="knowledge", settle_by="the longest access label of a product")
    # Chunks that are embedded between two marks of progress.
    batch: int = assumed(128, owner="knowledge", settle_by="seconds of one batch with a slow embedding service")
    # Characters of a document's text that one answer holds.
    text_characters: int = promised(100_000)
    # Chunks of a document that one answer or page shows.
    chunks_shown: int = assumed(200, owner="knowledge", settle_by="time of a page with all chunks of a long document")


DOCUMENT_CONFIG = DocumentConfig()
