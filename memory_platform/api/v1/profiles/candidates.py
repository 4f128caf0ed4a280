"""``/v1/subjects/{subject_id}/candidates``: what extraction proposed, why, and what waits for a person (row E2)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.fields import OneOfField, names
from memory_platform.api.requests.reasons import OptionalReasonInput, masked_reason
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from profiles.models import Candidate, CandidateKind, Subject
from profiles.selectors import subject_by_external_id
from profiles.values import Provenance, Verdict
from snapshots.models import Message
from snapshots.understanding.believing.review import approve, candidates, messages_behind, reject
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/candidates"
VERDICTS = names([str(verdict) for verdict in Verdict])
KINDS = names([str(kind) for kind in CandidateKind])
Decide = Callable[..., Candidate]
DECISIONS: Mapping[str, Decide] = {"approve": approve, "reject": reject}


class CandidatesInput(PageInput):
    """``verdict=pending`` is what waits for a decision."""

    verdict = OneOfField(choices=VERDICTS, required=False)
    kind = OneOfField(choices=KINDS, required=False)


class ReviewInput(OptionalReasonInput):
    """A decision and, for the audit trail, why."""

    decision = OneOfField(choices=names(list(DECISIONS)))


class EvidenceOutput(Output):
    """The words that prove it: characters ``start`` to ``end`` of the message's content."""

    message_id = serializers.CharField()
    conversation_id = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class ProposedOutput(Output):
    """One proposal. ``target`` is a profile field, ``category/key`` or a label; ``origin`` is what read it.

    What was refused as sensitive has neither target, value nor evidence; the message it stood in may be gone.
    """

    candidate_id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=KINDS)
    target = serializers.CharField(allow_null=True)
    value = serializers.JSONField()  # any, null among them
    verdict = serializers.ChoiceField(choices=VERDICTS)
    reason = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names([str(one) for one in Provenance]))
    sort = serializers.CharField(allow_null=True)
    origin = serializers.CharField(allow_null=True)
    message_id = serializers.CharField(allow_null=True)
    conversation_id = serializers.CharField(allow_null=True)
    evidence = EvidenceOutput(allow_null=True)
    created_at = serializers.DateTimeField()
    reviewed_at = serializers.DateTimeField(allow_null=True)
    reviewed_by = serializers.CharField(allow_null=True)
    review_reason = serializers.CharField(allow_null=True)


class CandidatesView(SubjectView):
    """What was proposed for one subject."""

    noun = "candidates"
    query_input = CandidatesInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[CandidatesInput], responses=page_of(ProposedOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List what extraction proposed, newest first."""
        asked = CandidatesInput.parse(request)
        page = Page.from_request(request, asked, NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            found = candidates(subject, verdict=asked.get("verdict"), kind=asked.get("kind"))
            rows, cursor = page.of(found)
            behind = messages_behind(rows)
        return Response({"data": [serialize_candidate(row, behind) for row in rows], "next_cursor": cursor})


class CandidateReviewView(SubjectView):
    """The decision about one candidate that waits."""

    noun = "candidates"
    required_scope: ClassVar[str] = MEMORY_WRITE

    @extend_schema(request=ReviewInput, responses=ProposedOutput)
    def post(self, request: Request, subject_id: str, candidate_id: UUID) -> HttpResponse:
        """Approve or reject: approved, it is written as if it had been read without doubt. The same again changes
        nothing; the opposite of what was decided is 409."""
        given = ReviewInput.parse(request)
        decide = partial(DECISIONS[given["decision"]], reason=masked_reason(given))
        return write_once(request, partial(reply_to_review, subject_id, candidate_id, decide, self.actor))


def reply_to_review(subject_id: str, candidate_id: UUID, decide: Decide, by: Actor) -> Reply:
    """Decide a candidate in the open transaction."""
    subject: Subject = subject_by_external_id(subject_id)
    row = decide(subject, candidate_id, by=by)
    return Reply(serialize_candidate(row, messages_behind([row])), subject_id=subject.id)


def serialize_candidate(row: Candidate, behind: Mapping[UUID, Message]) -> dict[str, Any]:
    message = behind.get(row.message_ref) if row.message_ref else None
    return {
        "candidate_id": row.id,
        "kind": row.kind,
        "target": row.target or None,
        "value": row.value,
        "verdict": row.verdict,
        "reason": row.reason or None,
        "confidence": row.confidence,
        "provenance": row.provenance,
        "sort": row.sort or None,
        "origin": row.origin or None,
        "message_id": message.external_id if message else None,
        "conversation_id": message.conversation.external_id if message else None,
        "evidence": serialize_evidence(row, message),
        "created_at": row.created_at,
        "reviewed_at": row.reviewed_at,
        "reviewed_by": row.reviewed_by or None,
        "review_reason": row.review_reason or None,
    }


def serialize_evidence(row: Candidate, message: Message | None) -> dict[str, Any] | None:
    """Return the message and the span of the words that prove a candidate."""
    if message is None or row.quote_start is None or row.quote_end is None:
        return None
    return {
        "message_id": message.external_id,
        "conversation_id": message.conversation.external_id,
        "start": row.quote_start,
        "end": row.quote_end,
    }


urlpatterns = [
    path(BELOW, CandidatesView.as_view(), name="candidates"),
    path(f"{BELOW}/<own_id:candidate_id>/review", CandidateReviewView.as_view(), name="candidate-review"),
]
