"""``/v1/receipts``: the records of contexts."""

from typing import Any, get_args
from uuid import UUID

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.requests.fields import InstantField, OwnIdField, ProductIdField
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.v1.conversations.messages import MEMORY_KINDS
from memory_platform.api.v1.memories.common_memory_fields import make_texts_output
from memory_platform.api.v1.recall.common_recall_fields import (
    POLICY_VERSION_HELP,
    RELEVANCE_HELP,
    AbstainedOutput,
    DegradedReasonField,
    ExperimentOutput,
    make_intent_output,
    make_phase_output,
    render_experiment,
)
from memory_platform.api.v1.recall.context_serializers import (
    ModelRouteOutput,
    PromptMessageOutput,
    SectionOutput,
    TokensOutput,
)
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from snapshots.context.receipt_record import ROOM
from snapshots.context.turn.model_tier import TierRoute
from snapshots.context.values import CandidateLane, DecisionReason, Guardrail
from snapshots.feedback.values import Signal
from snapshots.models import Receipt
from snapshots.receipts.read import find_receipt, list_explained_candidates, list_receipts, unpack_rendered_prompt
from snapshots.receipts.values import LASTING, VITAL
from tenants.isolation import tenant_tx

# A passage, which is no memory, has its lane for a kind.
CANDIDATE_KINDS = (*MEMORY_KINDS, "summary", "tasks", "documents")


class ReceiptsInput(PageInput):
    """Which receipts to list."""

    subject_id = ProductIdField(required=False, help_text="Returns receipts of this subject only.")
    memory_id = OwnIdField(required=False, help_text="Returns receipts of contexts that contained this memory only.")
    from_ = InstantField(required=False, help_text="Returns receipts made at this time or later.")
    to = InstantField(required=False, help_text="Returns receipts made at this time or earlier.")


class MadeByOutput(Output):
    """The versions of the software that made a context; null in receipts of release 1."""

    release = serializers.CharField(allow_null=True, help_text="Release of the platform.")
    clauses = serializers.CharField(allow_null=True, help_text="Version of the reader of clauses.")
    relevance = serializers.CharField(allow_null=True, help_text="Version of the reader of relevance.")


class ReceiptSummaryOutput(Output):
    """A receipt without its candidates and messages."""

    receipt_id = serializers.UUIDField(source="id", help_text="Id of the receipt.")
    created_at = serializers.DateTimeField(help_text="When the context was made.")
    subject_id = serializers.CharField(source="subject.external_id", help_text="Id of the subject.")
    conversation_id = serializers.CharField(allow_null=True, help_text="Id of the conversation, if one was named.")
    policy_version = serializers.CharField(help_text=POLICY_VERSION_HELP)
    experiment = ExperimentOutput(allow_null=True, help_text="The experiment that the subject took part in, if any.")
    made_by = MadeByOutput(help_text="The versions of the software that made the context.")
    intent = make_intent_output(allow_null=True)
    phase = make_phase_output(allow_null=True)
    model_route = ModelRouteOutput(
        allow_null=True, help_text="The tier of model that the turn needed; null in old receipts."
    )
    sections = SectionOutput(many=True, help_text="The sections of the context, in their order.")
    tokens = TokensOutput(help_text="Tokens of the context.")
    prefix_hash = serializers.CharField(help_text="SHA-256 of message 0.")
    abstained = AbstainedOutput(
        allow_null=True, help_text="Why the context had no memory for its message, else null. Null in old receipts."
    )
    degraded_reason = DegradedReasonField()

    @staticmethod
    def render_conversation_id(receipt: Receipt) -> str | None:
        return receipt.conversation.external_id if receipt.conversation else None

    @staticmethod
    def render_experiment(receipt: Receipt) -> dict[str, Any] | None:
        return render_experiment(receipt)

    @staticmethod
    def render_made_by(receipt: Receipt) -> dict[str, Any]:
        return {name: receipt.made_by.get(name) for name in ("release", "clauses", "relevance")}

    @staticmethod
    def render_model_route(receipt: Receipt) -> TierRoute | None:
        return TierRoute.from_receipt(receipt.model_route)

    @staticmethod
    def render_sections(receipt: Receipt) -> list[dict[str, Any]]:
        return [{name: value for name, value in one.items() if name != ROOM} for one in receipt.sections]

    @staticmethod
    def render_abstained(receipt: Receipt) -> dict[str, Any] | None:
        return {"reason": receipt.abstained} if receipt.abstained else None


class CandidatePassageOutput(Output):
    """The place of a passage of a document. It has no words: the receipt may outlive the document."""

    document_id = serializers.CharField(help_text="Id of the document.")
    chunk_ids = make_texts_output("Ids of its chunks, in order.")
    position = serializers.IntegerField(help_text="Number of its first chunk in the document, from 0.")
    page = serializers.IntegerField(allow_null=True, help_text="Page, from 1; null where the format has none.")
    start = serializers.IntegerField(help_text="First character in the document's text at that time, from 0.")
    end = serializers.IntegerField(help_text="Character after the last.")


class CandidateOutput(Output):
    """A memory, or a passage of a document, that was considered for the context."""

    memory_id = serializers.CharField(help_text="Id of the memory; of a passage, that of its first chunk.")
    lane = serializers.ChoiceField(choices=get_args(CandidateLane), help_text="Lane that it came from.")
    kind = serializers.ChoiceField(
        choices=CANDIDATE_KINDS,
        help_text="Kind of the memory; `summary`, `tasks` and `documents` for what is no memory.",
    )
    candidate_score = serializers.FloatField(help_text="Score by which the candidates were sorted.")
    decision_reason = serializers.ChoiceField(
        choices=list(DecisionReason), help_text="`kept` if it is in the context, else why it was left out."
    )
    policy_version = serializers.CharField(help_text=POLICY_VERSION_HELP)
    guardrail_hit = serializers.ChoiceField(
        choices=list(Guardrail), allow_null=True, help_text="Suspicious content that was found in it, else null."
    )
    context_position = serializers.IntegerField(
        allow_null=True, help_text="Position in the context, from 1; null if it was left out."
    )
    tokens = serializers.IntegerField(help_text="Its tokens in the context.")
    explain = serializers.DictField(
        allow_null=True,
        help_text="As in the answer of a recall, but the matching words are in `words`. In old receipts `relevance` is "
        "empty.",
    )
    relevance = serializers.FloatField(
        allow_null=True, help_text=f"{RELEVANCE_HELP} Null for what is in every context."
    )
    threshold = serializers.FloatField(allow_null=True, help_text="The smallest relevance that was accepted.")
    standing = serializers.ChoiceField(
        choices=[VITAL, LASTING],
        allow_blank=True,
        help_text="Why it is in every context: `vital` (always), `lasting` (the rest of the profile, if there is "
        "room). Empty for what depends on the question.",
    )
    passage = CandidatePassageOutput(allow_null=True, help_text="Place of a passage of a document; null for a memory.")
    words = make_texts_output(
        "Words of the question that it contains; empty if it was found by meaning. Null for what was left out, and "
        "after the words were deleted.",
        allow_null=True,
    )
    utilized = serializers.BooleanField(allow_null=True, help_text="True if the reply used it; null if unknown.")
    user_feedback_signal = serializers.ChoiceField(
        choices=list(Signal), allow_null=True, help_text="How it was received; null if unknown."
    )


class ReceiptOutput(ReceiptSummaryOutput):
    """The record of one context: candidates, sent messages and reasons."""

    query = serializers.CharField(
        allow_null=True, allow_blank=True, help_text="What the user said; null after the retention period."
    )
    messages = PromptMessageOutput(
        many=True, allow_null=True, help_text="The messages of the context; null after the retention period."
    )
    text = serializers.CharField(
        allow_null=True, allow_blank=True, help_text="The context with the format `text`, else null."
    )
    candidates = CandidateOutput(
        many=True, help_text="All candidates: those in the context by position, then the others, best first."
    )


class ReceiptsView(TenantView):
    noun = "receipts"
    required_scope = MEMORY_READ
    serves_bound_keys = True

    @operation("list_receipts", query=ReceiptsInput, answer=page_of(ReceiptSummaryOutput))
    def get(self, request: Request) -> Response:
        """List the receipts of contexts, oldest first."""
        query, bound = ReceiptsInput.parse(request), self.caller.bound_subject
        page = Page.from_request(request, query)
        asked = query.get("subject_id", bound or None)
        with tenant_tx(self.tenant_id):
            found = list_receipts(
                subject_external_id=asked,
                memory_id=query.get("memory_id"),
                since=query.get("from"),
                until=query.get("to"),
            )
            found = found.none() if bound and asked != bound else found
            return Response(page.answer(found, ReceiptSummaryOutput.render))


class OneReceiptView(TenantView):
    """A view below ``receipts/<own_id:receipt_id>``."""

    noun = "receipts"
    serves_bound_keys = True
    absent = "No receipt with this id."

    def belongs_to_subject(self, subject_id: str) -> bool:
        with tenant_tx(self.tenant_id):
            return list_receipts(subject_external_id=subject_id).filter(id=self.kwargs["receipt_id"]).exists()


class ReceiptView(OneReceiptView):
    required_scope = MEMORY_READ

    @operation("get_receipt", answer=ReceiptOutput)
    def get(self, request: Request, receipt_id: UUID) -> Response:
        """Get a receipt: the context that was made, and every memory that was considered for it."""
        with tenant_tx(self.tenant_id):
            return Response(render_receipt(find_receipt(receipt_id)))


def render_receipt(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt with its candidates, in the open scope."""
    sent = unpack_rendered_prompt(receipt)
    return ReceiptOutput.render(
        receipt,
        query=sent.query if sent else None,
        messages=sent.messages if sent else None,
        text=sent.text if sent else None,
        candidates=list_explained_candidates(receipt),
    )


urlpatterns = [
    path("receipts", ReceiptsView.as_view(), name="receipts"),
    path("receipts/<own_id:receipt_id>", ReceiptView.as_view(), name="receipt"),
]
