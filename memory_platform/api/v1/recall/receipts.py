"""``/v1/receipts``: what was put into a prompt, and why."""

from typing import Any
from uuid import UUID

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import InstantField, OwnIdField, ProductIdField
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.v1.policies.policy_serializers import ExperimentOutput, serialize_experiment_arm
from memory_platform.api.v1.recall.abstained import AbstainedOutput
from memory_platform.api.v1.recall.context import (
    ModelRouteOutput,
    PromptMessageOutput,
    SectionOutput,
    TokensOutput,
    shown_route,
)
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.pagination import Page, PageInput
from snapshots.context.record import ROOM
from snapshots.models import Receipt
from snapshots.receipts.read import candidates_of, receipt_by_id, receipts, rendered_of
from snapshots.receipts.values import LASTING, VITAL
from tenants.isolation import tenant_tx


class ReceiptsInput(PageInput):
    """``from`` and ``to`` are times of assembly, both included; ``memory_id``: the memory was in the prompt."""

    subject_id = ProductIdField(required=False)
    memory_id = OwnIdField(required=False)
    from_ = InstantField(required=False)
    to = InstantField(required=False)


class MadeByOutput(Output):
    """The release of the platform, and the versions of the readers of clauses and of relevance; null in receipts of
    release 1, which do not say it."""

    release = serializers.CharField(allow_null=True)
    clauses = serializers.CharField(allow_null=True)
    relevance = serializers.CharField(allow_null=True)


class ReceiptSummaryOutput(Output):
    """One assembled context, without its candidates and words."""

    receipt_id = serializers.UUIDField()
    created_at = serializers.DateTimeField()
    subject_id = serializers.CharField()
    conversation_id = serializers.CharField(allow_null=True)
    policy_version = serializers.CharField()
    experiment = ExperimentOutput(allow_null=True)
    made_by = MadeByOutput()
    intent = serializers.CharField(allow_null=True)
    phase = serializers.CharField(allow_null=True)
    model_route = ModelRouteOutput(allow_null=True)
    sections = SectionOutput(many=True)
    tokens = TokensOutput()
    prefix_hash = serializers.CharField()
    abstained = AbstainedOutput(
        allow_null=True, help_text="As in the answer; null in receipts of before it was kept, too."
    )
    degraded_reason = serializers.CharField(allow_null=True)


class CandidateOutput(Output):
    """One candidate. ``context_position`` counts from 1 in reading order; null when it was left out."""

    memory_id = serializers.CharField()
    lane = serializers.CharField()
    kind = serializers.CharField()
    candidate_score = serializers.FloatField()
    decision_reason = serializers.CharField()
    policy_version = serializers.CharField()
    guardrail_hit = serializers.CharField(allow_null=True)
    context_position = serializers.IntegerField(allow_null=True)
    tokens = serializers.IntegerField()
    explain = serializers.DictField(
        allow_null=True,
        help_text="As in answers of recall; the matched words are `words`, beside it. `relevance` in it says what the "
        "relevance was made of, and is empty in older receipts.",
    )
    relevance = serializers.FloatField(
        allow_null=True, help_text="How probably it helps; null for what stands whatever is asked."
    )
    threshold = serializers.FloatField(allow_null=True, help_text="From which relevance on a memory goes in.")
    standing = serializers.ChoiceField(
        choices=[VITAL, LASTING],
        allow_blank=True,
        help_text="Why it stands whatever is asked: `vital`, always in; `lasting`, the rest of the profile, in while "
        "there is room. Empty for what competes by the question.",
    )
    words = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Which words of the question stand in it; null for what was left out, and once the words were "
        "purged. Empty: it came by its meaning, or whatever is asked.",
    )
    utilized = serializers.BooleanField(allow_null=True)
    user_feedback_signal = serializers.CharField(allow_null=True)


class ReceiptOutput(ReceiptSummaryOutput):
    """One receipt. ``query``, ``messages`` and ``text`` are null once they were purged."""

    query = serializers.CharField(allow_null=True)
    messages = PromptMessageOutput(many=True, allow_null=True)
    text = serializers.CharField(allow_null=True)
    candidates = CandidateOutput(many=True)


class ReceiptsView(TenantView):
    """The tenant's receipts."""

    noun = "receipts"
    query_input = ReceiptsInput
    required_scope = MEMORY_READ

    @operation("list_receipts", query=ReceiptsInput, answer=page_of(ReceiptSummaryOutput))
    def get(self, request: Request) -> Response:
        """List receipts, the oldest first."""
        asked = ReceiptsInput.parse(request)
        page = Page.from_request(request, asked)
        with tenant_tx(self.tenant_id):
            found = receipts(
                subject_external_id=asked.get("subject_id"),
                memory_id=asked.get("memory_id"),
                since=asked.get("from"),
                until=asked.get("to"),
            )
            return Response(page.answer(found, shown_summary))


class ReceiptView(TenantView):
    """One receipt."""

    noun = "receipts"
    required_scope = MEMORY_READ

    @operation("get_receipt", answer=ReceiptOutput)
    def get(self, request: Request, receipt_id: UUID) -> Response:
        """Return a receipt with all candidates: those in the context by position, then the others, best first."""
        with tenant_tx(self.tenant_id):
            return Response(shown_receipt(receipt_by_id(receipt_id)))


def shown_summary(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as lists show it."""
    return {
        "receipt_id": receipt.id,
        "created_at": receipt.created_at,
        "subject_id": receipt.subject.external_id,
        "conversation_id": receipt.conversation.external_id if receipt.conversation else None,
        "policy_version": receipt.policy_version,
        "experiment": serialize_experiment_arm(receipt.experiment, receipt.arm),
        "made_by": {name: receipt.made_by.get(name) for name in ("release", "clauses", "relevance")},
        "intent": receipt.intent or None,
        "phase": receipt.phase or None,
        "model_route": shown_route(receipt),
        "sections": [{key: value for key, value in one.items() if key != ROOM} for one in receipt.sections],
        "tokens": receipt.tokens,
        "prefix_hash": receipt.prefix_hash,
        "abstained": {"reason": receipt.abstained} if receipt.abstained else None,
        "degraded_reason": receipt.degraded_reason or None,
    }


def shown_receipt(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as the API shows it, inside the open scope."""
    rendered = rendered_of(receipt)
    return {
        **shown_summary(receipt),
        "query": rendered.query if rendered else None,
        "messages": rendered.messages if rendered else None,
        "text": rendered.text if rendered else None,
        "candidates": candidates_of(receipt),
    }


urlpatterns = [
    path("receipts", ReceiptsView.as_view(), name="receipts"),
    path("receipts/<own_id:receipt_id>", ReceiptView.as_view(), name="receipt"),
]
