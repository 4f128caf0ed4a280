"""``/v1/receipts/{receipt_id}/outcome``: what came of a context, told by the product in one part or in several."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_WRITE
from memory_platform.api.policy import KIB, POLICY
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import ListOfField, OneOfField, OwnIdField, TextField, names
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.conversations.messages import FastLaneOutput, serialize_correction
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.kernel.errors import NotFound
from snapshots.feedback.outcome import MemoryNotInReceipt, sense_told, take_outcome
from snapshots.feedback.values import Outcome, SaidVerdict, Sense, Signal, Told
from snapshots.intake.corrections import result_of
from snapshots.intake.forgetting import forget_told
from snapshots.intake.order_vectors import Vectors, vectors_for_outcome
from snapshots.intake.values import FastLaneResult
from snapshots.sensitive.detector import mask_sensitive

SIGNALS = names([str(signal) for signal in Signal])


class VerdictInput(StrictSerializer):
    """What the product says of one memory of the context; it wins over what turns imply, a later one over earlier."""

    memory_id = OwnIdField()
    signal = OneOfField(choices=SIGNALS)
    reason = TextField(required=False, max_bytes=1 * KIB)


class OutcomeInput(Input):
    """Any part of what came of a context. Parts may come in any order, and again."""

    reply = TextField(required=False, allow_empty=True)
    next_user_message = TextField(required=False)
    verdicts = ListOfField(child=VerdictInput(), most=POLICY.page_most, required=False)


class UtilisedOutput(Output):
    """A memory that the reply used: by its words, by a reference to what was said, or by a value that only it holds."""

    memory_id = serializers.UUIDField()
    how = serializers.ChoiceField(choices=["words", "reference", "value"])


class SignalOutput(Output):
    """A memory of which something was heard. ``reason``: what the user's turn did, or the product's own words."""

    memory_id = serializers.UUIDField()
    signal = serializers.ChoiceField(choices=SIGNALS)
    reason = serializers.CharField()


class OutcomeOutput(Output):
    """All that is known of the context's outcome by now; ``fast_lane``: what became of this part's corrections."""

    utilised = UtilisedOutput(many=True)
    signals = SignalOutput(many=True)
    fast_lane = FastLaneOutput(many=True)


class OutcomeView(TenantView):
    """What came of one context."""

    noun = "receipts"
    required_scope = MEMORY_WRITE

    @operation(
        "record_outcome",
        request=OutcomeInput,
        answer=OutcomeOutput,
        errors=[NotFound, MemoryNotInReceipt],
        tag="outcome",
    )
    def post(self, request: Request, receipt_id: UUID) -> HttpResponse:
        """Tell the reply, the user's next message, or verdicts on memories; corrections are applied at once."""
        told = told_by(OutcomeInput.parse(request))
        sense = sense_told(self.tenant_id, receipt_id, told)
        vectors = vectors_for_outcome(self.tenant_id, receipt_id, told.next)
        return write_once(request, partial(noted, receipt_id, told, sense, vectors))


def told_by(given: dict[str, Any]) -> Told:
    """Return the checked body as a part of an outcome."""
    verdicts = [
        SaidVerdict(one["memory_id"], Signal(one["signal"]), mask_sensitive(one.get("reason", ""))[0])
        for one in given.get("verdicts", ())
    ]
    return Told(given.get("reply"), given.get("next_user_message"), verdicts)


def noted(receipt_id: UUID, told: Told, sense: Sense | None, vectors: Vectors) -> Reply:
    """Note a part inside the open transaction."""
    forgotten = forget_told(receipt_id, told.next, vectors) if told.next else ()
    outcome = take_outcome(receipt_id, told, sense=sense)
    return Reply(shown_outcome(outcome, forgotten), subject_id=outcome.subject_id)


def shown_outcome(outcome: Outcome, forgotten: Sequence[FastLaneResult] = ()) -> dict[str, Any]:
    """Return an outcome as the API shows it, with what the next message had ``forgotten``."""
    return {
        "utilised": [{"memory_id": one.memory_id, "how": one.how} for one in outcome.utilised],
        "signals": [
            {"memory_id": one.memory_id, "signal": one.signal, "reason": one.reason} for one in outcome.signals
        ],
        "fast_lane": [
            *map(serialize_correction, forgotten),
            *(serialize_correction(result_of(change)) for change in outcome.fast_lane),
        ],
    }


urlpatterns = [path("receipts/<own_id:receipt_id>/outcome", OutcomeView.as_view(), name="outcome")]
