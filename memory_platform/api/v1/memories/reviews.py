"""``/v1/subjects/{subject_id}/reviews``: memories that somebody should check, and the decisions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
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
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.models import Preference, ProfileFact
from profiles.selectors import subject_by_external_id
from profiles.services.profile import FactName
from snapshots.lifecycle.memory_reviews import (
    OPEN_STATE,
    TABLES,
    Memory,
    ReviewDecided,
    decide_review,
    find_reviews,
    load_reviewed_memories,
)
from snapshots.models import MemoryReview, ReviewDecision, ReviewReason, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/reviews"
STATES = [OPEN_STATE, *ReviewDecision.values]
DECISIONS = {"keep": ReviewDecision.KEPT, "retire": ReviewDecision.RETIRED}


class ReviewsInput(PageInput):
    """Which reviews to list."""

    state = OneOfField(
        choices=STATES, required=False, help_text="Returns reviews in this state only; `open` ones wait for a decision."
    )


class ReviewDecisionInput(OptionalReasonInput):
    """The decision about a memory."""

    decision = OneOfField(
        choices=list(DECISIONS), help_text="`keep` confirms the memory, `retire` ends it; its history stays."
    )


class MemoryReviewOutput(Output):
    """A review: is this memory still true?"""

    review_id = serializers.UUIDField(source="id", help_text="Id of the review.")
    state = serializers.ChoiceField(
        choices=STATES, help_text="`open`, or the decision; `gone` if the memory changed or ended by itself."
    )
    reason = serializers.ChoiceField(choices=ReviewReason.values, help_text="Why the memory should be checked.")
    lane = serializers.ChoiceField(choices=[str(lane) for lane in TABLES], help_text="Lane of the memory.")
    memory_id = serializers.UUIDField(source="memory_ref", help_text="Id of the memory.")
    name = serializers.CharField(
        allow_null=True, help_text="`category/key` of a preference, name of a profile field; null for a snapshot."
    )
    value = serializers.JSONField(help_text="The text or value now; null if the memory has ended.")
    effective_confidence = serializers.FloatField(help_text="Its confidence after decay, when the review began.")
    created_at = serializers.DateTimeField(help_text="When the review began.")
    decided_at = serializers.DateTimeField(allow_null=True, help_text="When it was decided.")
    decided_by = serializers.CharField(allow_null=True, help_text="Who decided, as in the audit trail.")

    @staticmethod
    def render_state(review: MemoryReview) -> str:
        return review.decision or OPEN_STATE


class ReviewsView(SubjectView):
    noun = "reviews"
    required_scope = MEMORY_READ

    @operation("list_reviews", query=ReviewsInput, answer=page_of(MemoryReviewOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the memories to check, newest first: those with little confidence or not confirmed for long."""
        query = ReviewsInput.parse(request)
        page = Page.from_request(request, query, NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            rows, cursor = page.load_page(find_reviews(subject_by_external_id(subject_id), state=query.get("state")))
            return Response({"data": render_reviews(rows), "next_cursor": cursor})


class ReviewDecideView(SubjectView):
    noun = "reviews"
    required_scope = MEMORY_WRITE

    @operation(
        "decide_review", request=ReviewDecisionInput, answer=MemoryReviewOutput, errors=[NotFound, ReviewDecided]
    )
    def post(self, request: Request, subject_id: str, review_id: UUID) -> HttpResponse:
        """Decide a review: keep the memory, which confirms it for 180 days, or retire it; its history stays.

        The same decision again changes nothing. The opposite one is 409, and so is a review that is `gone`.
        """
        given = ReviewDecisionInput.parse(request)
        return write_once(request, partial(reply_to_decision, subject_id, review_id, given, self.actor))


def reply_to_decision(subject_id: str, review_id: UUID, body: Mapping[str, Any], by: Actor) -> Reply:
    subject = subject_by_external_id(subject_id)
    row = decide_review(subject, review_id, DECISIONS[body["decision"]], by=by, reason=mask_reason(body))
    [rendered] = render_reviews([row])
    return Reply(rendered, subject_id=subject.id)


def render_reviews(rows: Sequence[MemoryReview]) -> list[dict[str, Any]]:
    """Return reviews as JSON; the memories of all are read together."""
    memories = load_reviewed_memories(rows)
    return [
        MemoryReviewOutput.render(
            row, name=name_of(memories.get(row.memory_ref)), value=value_of(memories.get(row.memory_ref))
        )
        for row in rows
    ]


def name_of(memory: Memory | None) -> str | None:
    """Return the name of a preference or profile field; None for a snapshot, which has its id."""
    if isinstance(memory, Preference):
        return f"{memory.category}/{memory.key}"
    return FactName(memory.field, memory.is_attribute).path if isinstance(memory, ProfileFact) else None


def value_of(memory: Memory | None) -> Any:
    return memory.text if isinstance(memory, Snapshot) else memory and memory.value


urlpatterns = [
    path(BELOW, ReviewsView.as_view(), name="reviews"),
    path(f"{BELOW}/<own_id:review_id>/decide", ReviewDecideView.as_view(), name="review-decide"),
]
