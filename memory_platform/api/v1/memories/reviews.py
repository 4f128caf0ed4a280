"""``/v1/subjects/{subject_id}/reviews``: memories that somebody should look at, and what was decided (row E5)."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import OneOfField, names
from memory_platform.api.requests.reasons import OptionalReasonInput, masked_reason
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.models import Preference, ProfileFact
from profiles.selectors import subject_by_external_id
from profiles.services.profile import FactName
from snapshots.lifecycle.review import OPEN, TABLES, Memory, ReviewDecided, decide_review, memories_in, reviews_of
from snapshots.models import MemoryReview, ReviewDecision, ReviewReason, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/reviews"
STATES = names([OPEN, *(str(decision) for decision in ReviewDecision)])
DECISIONS = {"keep": ReviewDecision.KEPT, "retire": ReviewDecision.RETIRED}


class ReviewsInput(PageInput):
    """``state=open`` is what waits for a decision."""

    state = OneOfField(choices=STATES, required=False)


class ReviewDecisionInput(OptionalReasonInput):
    """A decision and, for the audit trail, why."""

    decision = OneOfField(choices=names(list(DECISIONS)))


class MemoryReviewOutput(Output):
    """One question: is this still so? ``state``: open, or what became of it (``gone``: no longer in question).

    ``name`` is ``category/key`` of a preference, the field of a profile fact, null for a snapshot; ``value`` the text
    or value as it stands now, null when the memory is no longer held. ``effective_confidence`` is as it was when asked.
    """

    review_id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=STATES)
    reason = serializers.ChoiceField(choices=names([str(one) for one in ReviewReason]))
    lane = serializers.ChoiceField(choices=names([str(lane) for lane in TABLES]))
    memory_id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)
    value = serializers.JSONField()  # any, null among them
    effective_confidence = serializers.FloatField()
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)


class ReviewsView(SubjectView):
    """What was asked about one subject's memories."""

    noun = "reviews"
    query_input = ReviewsInput
    required_scope = MEMORY_READ

    @operation("list_reviews", query=ReviewsInput, answer=page_of(MemoryReviewOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the memories that are too unsure by now or were not validated for long, newest question first."""
        asked = ReviewsInput.parse(request)
        page = Page.from_request(request, asked, NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            rows, cursor = page.of(reviews_of(subject_by_external_id(subject_id), state=asked.get("state")))
            held = memories_in(rows)
        return Response({"data": [serialize_review(row, held) for row in rows], "next_cursor": cursor})


class ReviewDecideView(SubjectView):
    """The decision about one memory."""

    noun = "reviews"
    required_scope: ClassVar[str] = MEMORY_WRITE

    @operation(
        "decide_review", request=ReviewDecisionInput, answer=MemoryReviewOutput, errors=[NotFound, ReviewDecided]
    )
    def post(self, request: Request, subject_id: str, review_id: UUID) -> HttpResponse:
        """Keep the memory (validated now, not asked about for 180 days) or retire it: its history stays. The same again
        changes nothing; the opposite of what was decided, and what is no longer in question, is 409."""
        given = ReviewDecisionInput.parse(request)
        return write_once(request, partial(reply_to_decision, subject_id, review_id, given, self.actor))


def reply_to_decision(subject_id: str, review_id: UUID, given: Mapping[str, Any], by: Actor) -> Reply:
    """Decide a review in the open transaction."""
    subject = subject_by_external_id(subject_id)
    row = decide_review(subject, review_id, DECISIONS[given["decision"]], by=by, reason=masked_reason(given))
    return Reply(serialize_review(row, memories_in([row])), subject_id=subject.id)


def serialize_review(row: MemoryReview, held: Mapping[UUID, Memory]) -> dict[str, Any]:
    memory = held.get(row.memory_ref)
    return {
        "review_id": row.id,
        "state": row.decision or OPEN,
        "reason": row.reason,
        "lane": row.lane,
        "memory_id": row.memory_ref,
        "name": name_of(memory),
        "value": value_of(memory),
        "effective_confidence": row.effective_confidence,
        "created_at": row.created_at,
        "decided_at": row.decided_at,
        "decided_by": row.decided_by or None,
    }


def name_of(memory: Memory | None) -> str | None:
    """Return under which name a product reaches a belief; None for a snapshot, which has its id."""
    if isinstance(memory, Preference):
        return f"{memory.category}/{memory.key}"
    return FactName(memory.field, memory.is_attribute).path if isinstance(memory, ProfileFact) else None


def value_of(memory: Memory | None) -> Any:
    """Return what a memory says."""
    return memory.text if isinstance(memory, Snapshot) else memory and memory.value


urlpatterns = [
    path(BELOW, ReviewsView.as_view(), name="reviews"),
    path(f"{BELOW}/<own_id:review_id>/decide", ReviewDecideView.as_view(), name="review-decide"),
]
