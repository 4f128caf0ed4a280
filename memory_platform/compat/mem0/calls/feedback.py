"""``feedback``: a verdict on one memory."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import TextField
from memory_platform.api.requests.path_and_query import own_id
from memory_platform.compat.mem0.memory_scope import FEEDBACK_MARK
from memory_platform.compat.mem0.request_values import check_value
from memory_platform.compat.mem0.views import Mem0View, read_raw_body
from memory_platform.compat.mem0.visible_memories import load_memory
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart, ProductVerdict, Signal
from snapshots.models import ReceiptMemory, Snapshot, SnapshotCounter
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_subject
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx

SIGNALS: Mapping[str | None, Signal] = {
    "POSITIVE": Signal.POSITIVE,
    "NEGATIVE": Signal.NEGATIVE,
    "VERY_NEGATIVE": Signal.NEGATIVE,
    None: Signal.NEUTRAL,
}
_COUNTED = {Signal.POSITIVE: "positive", Signal.NEGATIVE: "negative"}


class FeedbackView(Mem0View):
    noun = "receipts"
    required_scope = "memory:write"

    def post(self, request: Request) -> Response:
        """Record how a memory was received: in its newest context, else in its own tally. Null takes it back."""
        feedback = read_raw_body(request).get("feedback")
        feedback = feedback.upper() if isinstance(feedback, str) else feedback
        if feedback not in SIGNALS:
            message = "Must be POSITIVE, NEGATIVE, VERY_NEGATIVE or null."
            raise InvalidInput(faults=[FieldFault("feedback", "not_a_choice", message)])
        reason = read_raw_body(request).get("feedback_reason") or ""
        if reason:
            reason, _ = mask_sensitive(check_value("feedback_reason", TextField(max_bytes=KIB), reason))
        with tenant_tx(self.tenant_id):
            row = load_memory(read_memory_id(read_raw_body(request).get("memory_id")))
            record_feedback(row, feedback, reason)
        return Response({"id": str(row.id), "feedback": feedback, "feedback_reason": reason or None})


def read_memory_id(value: object) -> UUID:
    if not isinstance(value, str) or not value:
        raise InvalidInput(faults=[FieldFault("memory_id", "required", "Must be a memory's id.")])
    return own_id(value)


def record_feedback(row: Snapshot, feedback: str | None, reason: str) -> None:
    """Record a verdict in the open scope: it counts once, and a later one replaces it."""
    write_memory_rows_of_subject(row.subject_id)
    shown = ReceiptMemory.objects.filter(memory_ref=row.id, subject_id=row.subject_id).order_by("-receipt__created_at")
    receipt_id = shown.values_list("receipt_id", flat=True).first()
    if receipt_id is not None:
        verdict = ProductVerdict(row.id, SIGNALS[feedback], reason)
        record_outcome(receipt_id, OutcomePart(verdicts=[verdict]))
        return
    held = Snapshot.objects.select_for_update().get(id=row.id, subject_id=row.subject_id)
    before = held.metadata.get(FEEDBACK_MARK)
    _change_tally(held, before, -1)
    _change_tally(held, feedback, +1)
    metadata = {key: value for key, value in held.metadata.items() if key != FEEDBACK_MARK}
    if feedback is not None:
        metadata[FEEDBACK_MARK] = feedback
    Snapshot.objects.filter(id=held.id, subject_id=held.subject_id).update(metadata=metadata)
    begin_memory_epoch(held.subject_id, changed=[held.position])


def _change_tally(row: Snapshot, feedback: str | None, step: int) -> None:
    name = _COUNTED.get(SIGNALS.get(feedback, Signal.NEUTRAL))
    if name is None:
        return
    counters = SnapshotCounter.objects.filter(subject_id=row.subject_id, snapshot_id=row.id)
    if not counters.exists():
        SnapshotCounter.objects.bulk_create(
            [SnapshotCounter(subject_id=row.subject_id, snapshot_id=row.id)], ignore_conflicts=True
        )
    counters.update(**{column: Greatest(F(column) + step, 0) for column in ("injected", "judged", name)})
