"""``/v1/receipts/{receipt_id}/outcome``: the reply to a context and the user's next message."""

from functools import partial
from typing import Any, get_args
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access import MEMORY_WRITE
from memory_platform.api.config import API_CONFIG, KIB
from memory_platform.api.requests.fields import ListOfField, OneOfField, OwnIdField, TextField
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.conversations.messages import FastLaneOutput
from memory_platform.api.v1.recall.receipts import OneReceiptView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import NotFound
from snapshots.feedback.record_outcome import MemoryNotInReceipt, classify_sense_of_part, record_outcome
from snapshots.feedback.values import OutcomePart, ProductVerdict, Signal, TurnSense, UtilisationSign
from snapshots.intake.corrections_on_arrival import build_correction_result
from snapshots.intake.forget_orders_on_arrival import OrderVectors, carry_out_quoted_orders, embed_orders_of_outcome
from snapshots.sensitive.detector import mask_sensitive


class VerdictInput(StrictSerializer):
    """Your product's own judgement of one memory in the context."""

    memory_id = OwnIdField(help_text="Id of the memory.")
    signal = OneOfField(
        choices=list(Signal), help_text="How the memory was received. It wins over what the messages imply."
    )
    reason = TextField(required=False, max_bytes=1 * KIB, help_text="Why. Secrets in it are masked.")


class OutcomeInput(Input):
    """The outcome of a context. It can be sent in parts, in any order, and again."""

    reply = TextField(required=False, allow_empty=True, help_text="The model's reply.")
    next_user_message = TextField(required=False, help_text="The user's next message. Corrections in it apply at once.")
    verdicts = ListOfField(
        child=VerdictInput(),
        most=API_CONFIG.page_most,
        required=False,
        help_text="Judgements of memories; a later one replaces an earlier one.",
    )


class UtilisedOutput(Output):
    """A memory that the reply used."""

    memory_id = serializers.UUIDField(help_text="Id of the memory.")
    how = serializers.ChoiceField(
        choices=get_args(UtilisationSign),
        help_text="`words` (the reply has its words), `reference` (it refers to what was said), `value` (it has a "
        "value that only this memory holds).",
    )


class SignalOutput(Output):
    """How a memory was received."""

    memory_id = serializers.UUIDField(help_text="Id of the memory.")
    signal = serializers.ChoiceField(choices=list(Signal), help_text="How the memory was received.")
    reason = serializers.CharField(help_text="What the user's message did, or the reason of a verdict.")


class OutcomeOutput(Output):
    """The outcome of a context as it is known now."""

    utilised = UtilisedOutput(many=True, help_text="Memories that the reply used.")
    signals = SignalOutput(many=True, help_text="How memories were received.")
    fast_lane = FastLaneOutput(many=True, help_text="Corrections in this request, and what they changed.")


class OutcomeView(OneReceiptView):
    required_scope = MEMORY_WRITE

    @operation(
        "record_outcome",
        request=OutcomeInput,
        answer=OutcomeOutput,
        errors=[NotFound, MemoryNotInReceipt],
        tag="outcome",
    )
    def post(self, request: Request, receipt_id: UUID) -> HttpResponse:
        """Send back the reply, the user's next message, or judgements of memories. Corrections apply at once."""
        part = build_outcome_part(OutcomeInput.parse(request))
        sense = classify_sense_of_part(self.tenant_id, receipt_id, part)
        vectors = embed_orders_of_outcome(self.tenant_id, receipt_id, part.next)
        return write_once(request, partial(record_part, receipt_id, part, sense, vectors))


def build_outcome_part(body: dict[str, Any]) -> OutcomePart:
    verdicts = [
        ProductVerdict(one["memory_id"], Signal(one["signal"]), mask_sensitive(one.get("reason", ""))[0])
        for one in body.get("verdicts", ())
    ]
    return OutcomePart(body.get("reply"), body.get("next_user_message"), verdicts)


def record_part(receipt_id: UUID, part: OutcomePart, sense: TurnSense | None, vectors: OrderVectors) -> Reply:
    """Record a part of an outcome in the open transaction."""
    forgotten = carry_out_quoted_orders(receipt_id, part.next, vectors) if part.next else ()
    outcome = record_outcome(receipt_id, part, sense=sense)
    results = [*forgotten, *map(build_correction_result, outcome.fast_lane)]
    rendered = OutcomeOutput.render(outcome, fast_lane=FastLaneOutput.render_many(results))
    return Reply(rendered, subject_id=outcome.subject_id)


urlpatterns = [path("receipts/<own_id:receipt_id>/outcome", OutcomeView.as_view(), name="outcome")]
