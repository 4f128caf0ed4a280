"""A deleted document leaves no words in stored texts: prompts of receipts, and answers kept for repeated calls."""

from uuid import UUID

import orjson
from django.db.models import BooleanField, F, Func, Q, Value

from profiles.models import IdempotentReply
from snapshots.models import Document, Receipt, ReceiptDocument

# How an element of a document begins in a context, kept as JSON.
DOCUMENT_TAG = b"<document "
# What stands before a document's own id in the answer to its upload.
ID_FIELD = b'"document_id":'


class _Contains(Func):
    """Whether the second, bytes, stands in the first."""

    template = "(position(%(expressions)s) > 0)"
    arg_joiner = " IN "
    output_field = BooleanField()


def drop_texts_of_document(document: Document) -> int:
    """Drop the prompts that show a document, and the kept answers that hold them or its details, in the open scope;
    return how many prompts. The document is locked, so that no further one is recorded. The receipts stay, with ids and
    numbers."""
    shown = ReceiptDocument.objects.filter(document_id=document.id).order_by()
    receipts = {str(row_id): subject for row_id, subject in shown.values_list("receipt_id", "subject_id")}
    _drop_kept_answers(receipts, document.external_id)
    return Receipt.objects.filter(id__in=list(receipts), rendered__isnull=False).update(rendered=None)


def _drop_kept_answers(receipts: dict[str, UUID], external_id: str) -> None:
    rows = IdempotentReply.objects.filter(subject_id__in=set(receipts.values())).order_by().values_list("id", "body")
    ids = [row_id for row_id, body in rows if body and any(one.encode() in bytes(body) for one in receipts)]
    IdempotentReply.objects.filter(id__in=ids).delete()
    # Of no subject are answers to uploads, with the document's title, and contexts of an unknown subject, which have no
    # receipt. What was written for the latter is nothing, and for the former gone: a repeated call is a new one.
    told = Q(_Contains(Value(DOCUMENT_TAG), F("body"))) | Q(
        _Contains(Value(ID_FIELD + orjson.dumps(external_id)), F("body"))
    )
    IdempotentReply.objects.filter(told, subject_id__isnull=True).order_by().delete()
