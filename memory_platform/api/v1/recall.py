"""``POST subjects/{subject_id}/recall``: what the memory holds about a question."""

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api import examples
from memory_platform.api.fields import (
    FlagField,
    InstantField,
    JsonObjectField,
    ListOfField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
    names,
)
from memory_platform.api.permissions import MEMORY_READ
from memory_platform.api.policy import POLICY
from memory_platform.api.serializers import Input, Output, StrictSerializer
from memory_platform.api.views import SubjectView
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import InvalidInput
from profiles.services.tag_lookup import TagMatch
from snapshots.context.intent import detect_intent
from snapshots.recall.answer import Recalled
from snapshots.recall.degraded import DegradedReason, joined
from snapshots.recall.explained import explained
from snapshots.recall.filters import FilterNode, parse_filter
from snapshots.recall.ranking import DIGITS
from snapshots.recall.service import recall
from snapshots.recall.values import KINDS, LANES, RecalledMemory, RecallQuery

TOP_K_MOST = 100
TOPICS_MOST = 100
DEFAULT_LANES = LANES[:4]
FILTER = "filter"
RESERVED = (DegradedReason.REPLICA_LAG, DegradedReason.ANN_TRUNCATED)
DEGRADED_HELP = (
    "What the answer had to do without, comma-joined, the gravest first; null when nothing was missing: "
    f"{', '.join(reason for reason in DegradedReason if reason not in RESERVED)}. "
    f"Reserved, and never said yet: {', '.join(RESERVED)}."
)


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


class TimeRangeInput(StrictSerializer):
    """When it was said, both ends included."""

    from_ = InstantField(required=False)
    to = InstantField(required=False)


class RecallInput(Input):
    """A question to one subject's memory; a filter narrows."""

    query = TextField(allow_empty=True)
    top_k = WholeField(least=1, most=TOP_K_MOST, default=8)
    kinds = ListOfField(child=OneOfField(choices=names(KINDS)), most=len(KINDS), required=False)
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
    as_of = InstantField(required=False, help_text="What was true then, as far as it is known now.")
    known_at = InstantField(required=False, help_text="What was held then, in the words and with the values of then.")
    conversation_id = ProductIdField(
        required=False, help_text="Names the conversation that asks. Every conversation is searched all the same."
    )
    lanes = ListOfField(
        child=OneOfField(choices=names(LANES)),
        most=len(LANES),
        required=False,
        help_text="What is asked; all but `documents` unless named. No documents are held here yet: that lane is "
        "accepted, brings nothing, and the answer's `degraded_reason` says `documents_unavailable`.",
    )
    rerank = FlagField(
        default=False, help_text="Lets a reranking model order the head. Without one configured it has no effect."
    )
    rewrite = FlagField(
        default=False,
        help_text="Also searches for other wordings by a chat model. Without one configured it has no effect.",
    )
    explain = FlagField(default=False)


class SourceOutput(Output):
    """The message behind a memory."""

    conversation_id = serializers.CharField(allow_null=True)
    message_id = serializers.CharField(allow_null=True)


class LaneHitOutput(Output):
    """Where a memory stands in one lane, in the view that ranks it higher; ranks count from 1.

    ``own`` reads the memory alone, ``window`` with the words around it, ``continued`` with the turn before it.
    """

    rank = serializers.IntegerField()
    score = serializers.FloatField()
    view = serializers.ChoiceField(choices=["own", "window", "continued"])


class FactorsOutput(Output):
    """The multipliers of the score."""

    recency = serializers.FloatField()
    confidence_effective = serializers.FloatField()
    provenance = serializers.FloatField()
    frequency = serializers.FloatField()


class ExplainOutput(Output):
    """Why a memory stands where it stands; a lane that did not find it is null: both only for a question that
    asks for nothing but a time.

    ``semantic`` times all factors, rounded to six digits, is the score. Of ``fused``, ``smoothed``
    came from its neighbours, ``conversation`` from its sitting, ``preferred`` from who said it, when and how.
    With a reranking model ``reranked`` takes the place of ``semantic``.
    """

    dense = LaneHitOutput(allow_null=True)
    keyword = LaneHitOutput(allow_null=True)
    fused = serializers.FloatField()
    smoothed = serializers.FloatField()
    conversation = serializers.FloatField()
    preferred = serializers.FloatField()
    semantic = serializers.FloatField()
    reranked = serializers.FloatField(allow_null=True)
    factors = FactorsOutput()


class MemoryOutput(Output):
    """One remembered thing; ``text`` holds the remembered words, ``name`` who said them when it was not the subject."""

    id = serializers.UUIDField()
    lane = serializers.ChoiceField(choices=["snapshots", "documents"])
    kind = serializers.ChoiceField(choices=KINDS)
    text = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    score = serializers.FloatField()
    confidence = serializers.FloatField()
    provenance = serializers.CharField()
    category = serializers.CharField(allow_null=True)
    topics = serializers.ListField(child=serializers.CharField())
    said_at = serializers.DateTimeField(allow_null=True)
    valid_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    sources = SourceOutput(many=True)
    explain = ExplainOutput(allow_null=True)


class RecalledTagOutput(Output):
    """A tag that the question means."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of the answer, not the serializer's own label
    kind = serializers.CharField()
    address = serializers.CharField(allow_null=True)
    poi_id = serializers.CharField(allow_null=True)
    lat = serializers.FloatField(allow_null=True)
    lon = serializers.FloatField(allow_null=True)
    phone = serializers.CharField(allow_null=True)
    relation = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField()
    provenance = serializers.CharField()
    score = serializers.FloatField()
    match = serializers.CharField()


class RecallOutput(Output):
    """The answer: snapshots sorted by score, best first; every other lane under its own key, empty when it is off."""

    memories = MemoryOutput(many=True)
    profile = serializers.DictField()
    preferences = serializers.DictField(child=serializers.DictField())
    tags = RecalledTagOutput(many=True)
    intent = serializers.CharField(allow_null=True)
    degraded_reason = serializers.CharField(allow_null=True, help_text=DEGRADED_HELP)
    timings_ms = serializers.DictField(child=serializers.FloatField())


class RecallView(SubjectView):
    """Recall for one subject."""

    noun = "recall"
    required_scope = MEMORY_READ

    @extend_schema(request=RecallInput, responses=RecallOutput, examples=examples.RECALL)
    def post(self, request: Request, subject_id: str) -> Response:
        """Answer what is remembered; for an unknown subject nothing, and nothing is created."""
        query = query_of(RecallInput.parsed(request))
        return Response(shown_recall(query, recall(self.tenant_id, subject_id, query)))


def query_of(asked: dict[str, Any]) -> RecallQuery:
    """Return the checked body as a question asked now."""
    said = asked.get("time_range", {})
    return RecallQuery(
        text=asked["query"],
        asked_at=utc_now(),
        top_k=asked["top_k"],
        kinds=frozenset(asked.get("kinds", ())),
        topics=frozenset(asked.get("topics", ())),
        filter=asked.get(FILTER),
        since=said.get("from"),
        until=said.get("to"),
        as_of=asked.get("as_of"),
        known_at=asked.get("known_at"),
        lanes=frozenset(asked.get("lanes", DEFAULT_LANES)),
        explain=asked["explain"],
        rerank=asked["rerank"],
        rewrite=asked["rewrite"],
    )


def shown_recall(query: RecallQuery, found: Recalled) -> dict[str, Any]:
    """Return an answer as the API shows it."""
    return {
        "memories": [shown_memory(memory) for memory in found.memories],
        "profile": found.lanes.beliefs.profile,
        "preferences": found.lanes.beliefs.preference_values,
        "tags": [shown_match(match) for match in found.lanes.meant],
        "intent": detect_intent(query.text),
        "degraded_reason": joined(found.degraded),
        "timings_ms": found.timings_ms,
    }


def shown_memory(memory: RecalledMemory) -> dict[str, Any]:
    """Return a memory as the API shows it."""
    return {
        "id": memory.id,
        "lane": memory.lane,
        "kind": memory.kind,
        "text": memory.text,
        "name": memory.name,
        "score": round(memory.score, DIGITS),
        "confidence": memory.confidence,
        "provenance": memory.provenance,
        "category": memory.category,
        "topics": memory.topics,
        "said_at": memory.said_at,
        "valid_at": memory.valid_at,
        "expires_at": memory.expires_at,
        "sources": [{"conversation_id": one.conversation_id, "message_id": one.message_id} for one in memory.sources],
        "explain": explained(memory.explain) if memory.explain else None,
    }


def shown_match(match: TagMatch) -> dict[str, Any]:
    """Return a tag that the question means as the API shows it."""
    tag = match.tag
    return {
        "id": tag.id,
        "label": tag.label,
        "kind": tag.kind,
        "address": tag.address or None,
        "poi_id": tag.poi_id or None,
        "lat": tag.lat,
        "lon": tag.lon,
        "phone": tag.phone or None,
        "relation": tag.relation or None,
        "confidence": tag.confidence,
        "provenance": tag.provenance,
        "score": round(match.score, DIGITS),
        "match": match.match,
    }


urlpatterns = [path("subjects/<product_id:subject_id>/recall", RecallView.as_view(), name="recall")]
