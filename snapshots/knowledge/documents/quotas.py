"""A tenant's limits of documents: their number, their bytes and their chunks."""

from django.db.models import Count, Sum

from snapshots.models import Chunk, Document
from tenants.services.usage.quotas import (
    CHUNKS,
    DOCUMENT_BYTES,
    DOCUMENTS,
    load_document_limits,
    reserve_room_under_limit,
)


def reserve_documents(*, documents: int, byte_count: int) -> None:
    """Reserve room for documents, in the open scope. Raises QuotaExceeded."""
    limits = load_document_limits()
    if documents > 0:
        reserve_room_under_limit(DOCUMENTS, limits.stored_documents, documents, Document.objects.order_by().count)
    if byte_count > 0:
        reserve_room_under_limit(DOCUMENT_BYTES, limits.document_bytes, byte_count, count_bytes)


def reserve_chunks(adding: int) -> None:
    """Reserve room for chunks, in the open scope. Raises QuotaExceeded."""
    if adding > 0:
        reserve_room_under_limit(CHUNKS, load_document_limits().stored_chunks, adding, Chunk.objects.order_by().count)


def count_bytes() -> int:
    return int(Document.objects.order_by().aggregate(total=Sum("byte_count"))["total"] or 0)


def count_stored_documents() -> dict[str, int]:
    """Return how much of each limit of documents the open tenant uses; one query."""
    found = Document.objects.order_by().aggregate(
        documents=Count("id"), byte_count=Sum("byte_count"), chunks=Sum("chunk_count")
    )
    return {
        DOCUMENTS: found["documents"],
        DOCUMENT_BYTES: found["byte_count"] or 0,
        CHUNKS: found["chunks"] or 0,
    }
