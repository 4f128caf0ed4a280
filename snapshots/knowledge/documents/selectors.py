"""Reading documents and their chunks. All in the open scope."""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from snapshots.knowledge.documents.values import DocumentUnknown
from snapshots.models import Chunk, Document, DocumentBody, DocumentStatus, JobStatus

GAVE_UP = Q(status=DocumentStatus.PROCESSING) & (Q(job=None) | Q(job__status=JobStatus.DEAD))


def find_document(external_id: str) -> Document:
    """Return a document with its collection and job. Raises DocumentUnknown."""
    found = list_documents().filter(external_id=external_id).first()
    if found is None:
        raise DocumentUnknown
    return found


def list_documents(*, status: str | None = None, collections: Collection[str] = ()) -> QuerySet[Document]:
    """Return the documents with this status, as ``shown_status`` has it, in these collections; all without them."""
    rows = Document.objects.select_related("collection", "job")
    if collections:
        rows = rows.filter(collection__external_id__in=list(collections))
    if status == DocumentStatus.FAILED:
        return rows.filter(Q(status=status) | GAVE_UP)
    if status == DocumentStatus.PROCESSING:
        return rows.filter(status=status).exclude(GAVE_UP)
    return rows.filter(status=status) if status else rows


def list_chunks(document: Document) -> QuerySet[Chunk]:
    """Return the chunks that answer for a document, in their order."""
    return Chunk.objects.filter(document=document).order_by("position", "id")


def load_text(document: Document) -> str:
    """Return the text that the spans of the document's chunks refer to; "" before it was indexed."""
    return DocumentBody.objects.filter(document=document).values_list("text", flat=True).first() or ""
