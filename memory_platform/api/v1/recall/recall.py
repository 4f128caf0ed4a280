"""``POST subjects/{subject_id}/recall``: what the memory holds about a question."""

from typing import Any

from django.urls import path
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.policy import POLICY
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    JsonObjectField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
    names,
    refuse,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.api.v1.recall.recall_serializers import RecallOutput, shown_recall
from memory_platform.api.views.base import SubjectView
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.filtering.grammar import FilterNode, parse_filter
from snapshots.recall.filtering.matching import FilterTooCostly
from snapshots.recall.loading.earlier import MemoryTooLarge
from snapshots.recall.policy import ANSWERS
from snapshots.recall.service import recall
from snapshots.recall.values import APART, DOCUMENTS, LANES, REPLIES, SNAPSHOT_KINDS, RecallQuery

TOP_K_MOST = 100
TOPICS_MOST = 100
DEFAULT_LANES = tuple(lane for lane in LANES if lane != DOCUMENTS)
FILTER = "filter"
STRICT_HELP = "Leaves out what the question neither names nor very probably needs."


class FilterField(JsonObjectField):
    """``{"and": [...]}``, ``{"or": [...]}``, ``{"not": {...}}`` or ``{"field": {"operator": value}}``."""

    def to_internal_value(self, data: Any) -> FilterNode:  # type: ignore[override]  # JSON outside, a tree inside
        """Return the filter as a tree. Raises ValidationError naming the place inside of it."""
        try:
            return parse_filter(super().to_internal_value(data), field=FILTER)
        except InvalidInput as refused:
            (fault,) = refused.faults
            detail = [ErrorDetail(fault.message, code=fault.code)]
            inside = fault.field.removeprefix(FILTER).lstrip(".")
            raise ValidationError({inside: detail} if inside else detail) from None


class SnapshotKindField(OneOfField):
    """A kind of snapshot that recall finds among the memories. Notes and replies are asked for by their lanes."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=names(SNAPSHOT_KINDS), **kwargs)

    def to_internal_value(self, data: Any) -> str:
        lane = next((lane for lane, kind in APART.items() if kind == data), None)
        if lane is not None:
            refuse("not_a_choice", f"These are not among `memories`: ask for them with the lane `{lane}`.")
        return super().to_internal_value(data)


class TimeRangeInput(StrictSerializer):
    """When it was said, both ends included."""

    from_ = InstantField(required=False)
    to = InstantField(required=False)


class RecallInput(Input):
    """A question to one subject's memory; a filter narrows."""

    query = TextField(allow_empty=True)
    top_k = WholeField(
        least=1,
        most=TOP_K_MOST,
        required=False,
        help_text=f"By default what the tenant's policy says; {ANSWERS.top_k} where it says nothing.",
    )
    kinds = ListOfField(
        child=SnapshotKindField(),
        most=len(SNAPSHOT_KINDS),
        required=False,
        help_text="Only `memories` of these kinds; `notes` and `replies` are not narrowed by it.",
    )
    topics = ListOfField(
        child=TextField(max_bytes=POLICY.id_bytes),
        most=TOPICS_MOST,
        required=False,
        help_text="Only memories with one of these topics, as they are written: `Food` is not `food`.",
    )
    filter = FilterField(
        required=False,
        help_text="Texts and topics equal only what is written the same: case counts. `contains` finds a part of a "
        "text in any case, and in a list, such as topics, a whole item as it is written.",
    )
    time_range = TimeRangeInput(required=False)
    as_of = InstantField(required=False, local=True, help_text="What was true then, as far as it is known now.")
    known_at = InstantField(required=False, help_text="What was held then, in the words and with the values of then.")
    conversation_id = ProductIdField(
        required=False, help_text="Names the conversation that asks. Every conversation is searched all the same."
    )
    lanes = ListOfField(
        child=OneOfField(choices=names(LANES)),
        most=len(LANES),
        required=False,
        help_text="What is asked; all but `documents` unless named. Notes are lasting things in the user's own words; "
        "they stand in `notes`, never in `memories`. Replies are what the assistant recommended, promised, or gave as "
        "a number or a name; unless the lane is named they come only where the question asks for what the assistant "
        "said, or where they very probably help. No documents are held here yet: that lane is accepted, "
        "brings nothing, and the answer's `degraded_reason` says `documents_unavailable`.",
    )
    rerank = FlagField(
        default=False,
        help_text="Lets a reranking model order the head. Without one configured `degraded_reason` says "
        "`rerank_unconfigured`.",
    )
    rewrite = FlagField(
        default=False,
        help_text="Also searches for other wordings by a chat model. Without one configured `degraded_reason` says "
        "`rewrite_unconfigured`.",
    )
    explain = FlagField(default=False)
    min_relevance = NumberField(least=0, most=1, required=False, help_text="Leaves out what is less relevant.")
    strict = FlagField(default=False, help_text=STRICT_HELP)


class RecallView(SubjectView):
    """Recall for one subject."""

    noun = "recall"
    required_scope = MEMORY_READ

    @operation("recall", request=RecallInput, answer=RecallOutput, errors=[MemoryTooLarge, FilterTooCostly], reads=True)
    def post(self, request: Request, subject_id: str) -> Response:
        """Answer what is remembered; for an unknown subject nothing, and nothing is created."""
        asked, policies = RecallInput.parse(request), self.policies_for(subject_id)
        query = query_of(asked, top_k=policies.top_k)
        found = recall(self.tenant_id, subject_id, query, policies.recall)
        return Response(shown_recall(query, found, policies))


def query_of(asked: dict[str, Any], *, top_k: int) -> RecallQuery:
    """Return the checked body as a question asked now; ``top_k`` stands in where it names none."""
    said = asked.get("time_range", {})
    return RecallQuery(
        text=asked["query"],
        asked_at=utc_now(),
        top_k=asked.get("top_k", top_k),
        kinds=frozenset(asked.get("kinds", ())),
        topics=frozenset(asked.get("topics", ())),
        filter=asked.get(FILTER),
        since=said.get("from"),
        until=said.get("to"),
        as_of=asked.get("as_of"),
        known_at=asked.get("known_at"),
        lanes=frozenset(asked.get("lanes", DEFAULT_LANES)),
        replies_named=REPLIES in asked.get("lanes", ()),
        explain=asked["explain"],
        rerank=asked["rerank"],
        rewrite=asked["rewrite"],
        min_relevance=asked.get("min_relevance", 0.0),
        strict=asked["strict"],
    )


urlpatterns = [path("subjects/<product_id:subject_id>/recall", RecallView.as_view(), name="recall")]
