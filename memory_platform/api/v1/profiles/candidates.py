"""``/v1/subjects/{subject_id}/candidates``: proposals that understanding made, and reviews of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, get_args
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.fields import OneOfField
from memory_platform.api.requests.sensitive_values import OptionalReasonInput, mask_reason
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.v1.conversations.messages import CORRECTION_REASONS
from memory_platform.api.v1.memories.common_memory_fields import (
    VERDICT_HELP,
    MessageSourceOutput,
    make_confidence_output,
    make_provenance_output,
)
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.models import Candidate, CandidateKind, Subject
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import subject_by_external_id
from snapshots.models import Message
from snapshots.understanding.believing.candidate_review import (
    DECLINED,
    AlreadyReviewed,
    approve_candidate,
    list_candidates,
    load_source_messages,
    reject_candidate,
)
from snapshots.understanding.values import CandidateSort
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/candidates"
Decide = Callable[..., Candidate]
DECISIONS: Mapping[str, Decide] = {"approve": approve_candidate, "reject": reject_candidate}


class CandidatesInput(PageInput):
    """Which proposals to list."""

    verdict = OneOfField(
        choices=Verdict.values,
        required=False,
        help_text="Returns proposals with this verdict only; `pending` are those that wait for a review.",
    )
    kind = OneOfField(choices=CandidateKind.values, required=False, help_text="Returns proposals of this kind only.")


class ReviewInput(OptionalReasonInput):
    """The decision about a proposal."""

    decision = OneOfField(choices=list(DECISIONS), help_text="`approve` stores the value, `reject` discards it.")


class EvidenceOutput(MessageSourceOutput):
    """The words in a message that a proposal was read from."""

    start = serializers.IntegerField(help_text="Position of the first character in the message's content, from 0.")
    end = serializers.IntegerField(help_text="Position after the last character.")


class ProposedOutput(Output):
    """A proposal: a value that understanding read from a message, and the decision about it."""

    candidate_id = serializers.UUIDField(source="id", help_text="Id of the proposal.")
    kind = serializers.ChoiceField(choices=CandidateKind.values, help_text="Kind of memory that it would change.")
    target = serializers.CharField(
        allow_null=True,
        help_text="Profile field, `category/key` of a preference, or label of a tag. Null for a sensitive proposal.",
    )
    value = serializers.JSONField(help_text="The proposed value; null for a sensitive proposal.")
    verdict = serializers.ChoiceField(choices=Verdict.values, help_text=VERDICT_HELP)
    reason = serializers.ChoiceField(
        choices=[*CORRECTION_REASONS, DECLINED], allow_null=True, help_text="Reason for the verdict, if it needs one."
    )
    confidence = make_confidence_output()
    provenance = make_provenance_output()
    sort = serializers.ChoiceField(
        choices=get_args(CandidateSort),
        allow_null=True,
        help_text="How it was said: `explicit`, `implicit`, `change` (of what was said before) or `constraint`; null "
        "if unknown.",
    )
    origin = serializers.CharField(allow_null=True, help_text="Name and version of the reader that proposed it.")
    message_id = serializers.CharField(allow_null=True, help_text="Id of the message; null if it was deleted.")
    conversation_id = serializers.CharField(allow_null=True, help_text="Id of the message's conversation.")
    evidence = EvidenceOutput(
        allow_null=True, help_text="The words that it was read from; null if the message was deleted."
    )
    created_at = serializers.DateTimeField(help_text="When it was proposed.")
    reviewed_at = serializers.DateTimeField(allow_null=True, help_text="When somebody decided about it.")
    reviewed_by = serializers.CharField(allow_null=True, help_text="Who decided, as in the audit trail.")
    review_reason = serializers.CharField(allow_null=True, help_text="The reason given for the decision.")


class CandidatesView(SubjectView):
    noun = "candidates"
    required_scope = MEMORY_READ

    @operation("list_candidates", query=CandidatesInput, answer=page_of(ProposedOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the values that understanding proposed, newest first, with the decision about each."""
        query = CandidatesInput.parse(request)
        page = Page.from_request(request, query, NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            rows, cursor = page.load_page(
                list_candidates(subject, verdict=query.get("verdict"), kind=query.get("kind"))
            )
            return Response({"data": render_candidates(rows), "next_cursor": cursor})


class CandidateReviewView(SubjectView):
    noun = "candidates"
    required_scope = MEMORY_WRITE

    @operation("review_candidate", request=ReviewInput, answer=ProposedOutput, errors=[NotFound, AlreadyReviewed])
    def post(self, request: Request, subject_id: str, candidate_id: UUID) -> HttpResponse:
        """Approve or reject a proposal. An approved value is stored like one that needed no review.

        The same decision again changes nothing; the opposite one is 409.
        """
        given = ReviewInput.parse(request)
        decide = partial(DECISIONS[given["decision"]], reason=mask_reason(given))
        return write_once(request, partial(reply_to_review, subject_id, candidate_id, decide, self.actor))


def reply_to_review(subject_id: str, candidate_id: UUID, decide: Decide, by: Actor) -> Reply:
    subject: Subject = subject_by_external_id(subject_id)
    [rendered] = render_candidates([decide(subject, candidate_id, by=by)])
    return Reply(rendered, subject_id=subject.id)


def render_candidates(rows: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Return proposals as JSON; the messages of all take one query."""
    messages = load_source_messages(rows)
    return [render_candidate(row, messages.get(row.message_ref) if row.message_ref else None) for row in rows]


def render_candidate(row: Candidate, message: Message | None) -> dict[str, Any]:
    names: dict[str, str | None] = {"message_id": None, "conversation_id": None}
    evidence = None
    if message is not None:
        names = {"message_id": message.external_id, "conversation_id": message.conversation.external_id}
        if row.quote_start is not None and row.quote_end is not None:
            evidence = {**names, "start": row.quote_start, "end": row.quote_end}
    return ProposedOutput.render(row, **names, evidence=evidence)


urlpatterns = [
    path(BELOW, CandidatesView.as_view(), name="candidates"),
    path(f"{BELOW}/<own_id:candidate_id>/review", CandidateReviewView.as_view(), name="candidate-review"),
]
