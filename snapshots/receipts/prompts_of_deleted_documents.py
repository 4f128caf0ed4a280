"""A deleted document leaves no words in stored texts: prompts of receipts, and answers kept for repeated calls."""

from uuid import UUID

from django.db.models import BooleanField, F, Func, Value

from profiles.models import IdempotentReply
from snapshots.models import Receipt, ReceiptDocument

# How an element of a document begins in a context, kept as JSON.
DOCUMENT_TAG = b"<document "


class _Contains(Func):
    """Whether the second, bytes, stands in the first."""

    template = "(position(%(expressions)s) > 0)"
    arg_joiner = " IN "
    output_field = BooleanField()


def drop_prompts_with_document(document_id: UUID) -> int:
    """Drop the prompts that show a document, and the kept answers that hold them, in the open scope; return how many
    prompts. The document is locked, so that no further one is recorded. The receipts stay, with ids and numbers."""
    shown = ReceiptDocument.objects.filter(document_id=document_id).order_by()
    receipts = {str(row_id): subject for row_id, subject in shown.values_list("receipt_id", "subject_id")}
    _drop_kept_answers(receipts)
    return Receipt.objects.filter(id__in=list(receipts), rendered__isnull=False).update(rendered=None)


def _drop_kept_answers(receipts: dict[str, UUID]) -> None:
    rows = IdempotentReply.objects.filter(subject_id__in=set(receipts.values())).order_by().values_list("id", "body")
    ids = [row_id for row_id, body in rows if body and any(one.encode() in bytes(body) for one in receipts)]
    IdempotentReply.objects.filter(id__in=ids).delete()
    # An unknown subject has no receipt: nothing was written for it, so a repeated call may be answered anew.
    unknown = IdempotentReply.objects.filter(subject_id__isnull=True).order_by()
    unknown.filter(_Contains(Value(DOCUMENT_TAG), F("body"))).delete()
