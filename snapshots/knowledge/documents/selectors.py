"""Reading documents and their chunks. All in the open scope."""

from collections.abc import Collection

from django.db.models import Q, QuerySet
from django.db.models.functions import Length, Substr

from snapshots.knowledge.documents.values import DocumentUnknown
from snapshots.models import Chunk, Document, DocumentBody, DocumentStatus, JobStatus

# The largest integer of Postgres.
INTEGER_MOST = 2**31 - 1
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


def is_open_to_all(external_id: str) -> bool:
    """Return whether there is such a document, and no access label before it and the chunks that answer for it."""
    open_to_all = Q(collection=None) | Q(collection__access_label="")
    return Document.objects.filter(open_to_all, ~Q(answering__has_key="collection"), external_id=external_id).exists()


def load_text_span(document: Document, start: int, length: int) -> tuple[str, int]:
    """Return at most ``length`` characters of the document's text from ``start`` on, and how many it has."""
    span = DocumentBody.objects.filter(document=document).annotate(
        span=Substr("text", min(start, INTEGER_MOST - 1) + 1, length), characters=Length("text")
    )
    found: tuple[str, int] | None = span.values_list("span", "characters").first()
    return found or ("", 0)


def load_text(document: Document) -> str:
    """Return the text that the spans of the document's chunks refer to; "" before it was indexed."""
    return DocumentBody.objects.filter(document=document).values_list("text", flat=True).first() or ""
