"""What a recall answers, and how an answer is shown."""

from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.serializers import Output
from memory_platform.api.v1.memories.note_serializers import GRADES, AboutOutput, VitalClassOutput
from memory_platform.api.v1.policies.policy_serializers import ExperimentOutput, serialize_experiment_arm
from memory_platform.api.v1.recall.abstained import AbstainedOutput, shown_abstained
from memory_platform.api.v1.recall.explain_serializers import ExplainOutput
from profiles.services.tags.lookup import TagMatch
from snapshots.context.turn.intent import detect_intent
from snapshots.policies.effective import Policies
from snapshots.recall.answer import Recalled
from snapshots.recall.degraded import DegradedReason, joined
from snapshots.recall.ranking.explained import explained
from snapshots.recall.ranking.factors import DIGITS
from snapshots.recall.values import SNAPSHOT_KINDS, About, RecalledMemory, RecalledNote, RecallQuery
from snapshots.understanding.grading.replies import NOTHING, SORTS

ASSISTANT = "assistant"
GIVEN = [sort for sort in SORTS if sort != NOTHING]
RESERVED = (DegradedReason.REPLICA_LAG, DegradedReason.ANN_TRUNCATED)
DEGRADED_HELP = (
    "What the answer had to do without, comma-joined, the gravest first; null when nothing was missing: "
    f"{', '.join(reason for reason in DegradedReason if reason not in RESERVED)}. "
    f"Reserved, and never said yet: {', '.join(RESERVED)}."
)


class SourceOutput(Output):
    """The message behind a memory."""

    conversation_id = serializers.CharField(allow_null=True)
    message_id = serializers.CharField(allow_null=True)


RELEVANCE_HELP = "How probably it helps to answer, 0 to 1: comparable between memories, lanes and calls."


class MemoryOutput(Output):
    """One remembered thing; ``text`` holds the remembered words, ``name`` who said them when it was not the subject."""

    id = serializers.UUIDField()
    lane = serializers.ChoiceField(choices=["snapshots", "documents"])
    kind = serializers.ChoiceField(choices=SNAPSHOT_KINDS)
    grade = serializers.ChoiceField(
        choices=GRADES,
        allow_null=True,
        help_text="That of the notes made from it; null without any, or if they differ.",
    )
    text = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    score = serializers.FloatField()
    relevance = serializers.FloatField(help_text=RELEVANCE_HELP)
    confidence = serializers.FloatField()
    provenance = serializers.CharField()
    category = serializers.CharField(allow_null=True)
    topics = serializers.ListField(child=serializers.CharField())
    aliases = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    said_at = serializers.DateTimeField(allow_null=True)
    valid_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    sources = SourceOutput(many=True)
    explain = ExplainOutput(allow_null=True)


class RecalledNoteOutput(Output):
    """A lasting thing in the user's own words; ``about`` is null where it is about the user.

    ``context`` is the turn before it, null unless the note needs it to be understood.
    """

    id = serializers.UUIDField()
    text = serializers.CharField()
    grade = serializers.ChoiceField(choices=GRADES)
    about = AboutOutput(allow_null=True)
    vital = serializers.BooleanField()
    vital_class = VitalClassOutput(allow_null=True)
    score = serializers.FloatField()
    relevance = serializers.FloatField(help_text=RELEVANCE_HELP)
    confidence = serializers.FloatField()
    provenance = serializers.CharField()
    said_at = serializers.DateTimeField()
    valid_at = serializers.DateTimeField()
    possibly_outdated = serializers.BooleanField()
    context = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # not what serializers are given
    topics = serializers.ListField(child=serializers.CharField())
    aliases = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    sources = SourceOutput(many=True)
    explain = ExplainOutput(allow_null=True)


class RecalledReplyOutput(Output):
    """What the assistant said, in its own words: nothing of it is believed of the user."""

    id = serializers.UUIDField()
    text = serializers.CharField()
    said_by = serializers.ChoiceField(choices=[ASSISTANT])
    name = serializers.CharField(allow_null=True)
    sort = serializers.ChoiceField(choices=GIVEN, allow_null=True)
    score = serializers.FloatField()
    relevance = serializers.FloatField(help_text=RELEVANCE_HELP)
    confidence = serializers.FloatField()
    topics = serializers.ListField(child=serializers.CharField())
    aliases = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    said_at = serializers.DateTimeField()
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
    """The answer: snapshots, notes and replies, each sorted by score, best first; every lane but the snapshots under
    its own key, empty when it is off. The score of a note or a reply is its relevance times the factors; memories are
    ranked by where they stand among all messages, times the factors."""

    memories = MemoryOutput(many=True)
    profile = serializers.DictField()
    preferences = serializers.DictField(child=serializers.DictField())
    notes = RecalledNoteOutput(many=True)
    replies = RecalledReplyOutput(many=True)
    tags = RecalledTagOutput(many=True)
    abstained = AbstainedOutput(allow_null=True)
    intent = serializers.CharField(allow_null=True)
    policy_version = serializers.CharField()
    experiment = ExperimentOutput(allow_null=True)
    degraded_reason = serializers.CharField(allow_null=True, help_text=DEGRADED_HELP)
    timings_ms = serializers.DictField(child=serializers.FloatField())


def shown_recall(query: RecallQuery, found: Recalled, policies: Policies) -> dict[str, Any]:
    """Return an answer as the API shows it."""
    return {
        "memories": [shown_memory(memory, query.text) for memory in found.memories],
        "profile": found.lanes.beliefs.profile,
        "preferences": found.lanes.beliefs.preference_values,
        "notes": [shown_recalled_note(note, query.text) for note in found.notes],
        "replies": [shown_reply(reply, query.text) for reply in found.replies],
        "tags": [shown_match(match) for match in found.lanes.meant],
        "abstained": shown_abstained(found),
        "intent": detect_intent(query.text, found.vectors),
        "policy_version": policies.version,
        "experiment": serialize_experiment_arm(policies.experiment, policies.arm),
        "degraded_reason": joined(found.degraded),
        "timings_ms": found.timings_ms,
    }


def shown_memory(memory: RecalledMemory, asked: str) -> dict[str, Any]:
    """Return a memory as the API shows it."""
    return {
        "id": memory.id,
        "lane": memory.lane,
        "kind": memory.kind,
        "grade": memory.grade,
        "text": memory.text,
        "name": memory.name,
        "score": round(memory.score, DIGITS),
        "relevance": round(memory.relevance, DIGITS),
        "confidence": memory.confidence,
        "provenance": memory.provenance,
        "category": memory.category,
        "topics": memory.topics,
        "aliases": memory.aliases,
        "metadata": memory.metadata,
        "said_at": memory.said_at,
        "valid_at": memory.valid_at,
        "expires_at": memory.expires_at,
        "sources": shown_sources(memory),
        "explain": explained(memory.explain, asked, memory) if memory.explain else None,
    }


def shown_recalled_note(note: RecalledNote, asked: str) -> dict[str, Any]:
    """Return a note as the API shows it."""
    memory, about = note.memory, note.about
    return {
        "id": memory.id,
        "text": memory.text,
        "grade": note.grade,
        "about": about and shown_about(about),
        "vital": bool(note.vital_class),
        "vital_class": note.vital_class or None,
        "score": round(memory.score, DIGITS),
        "relevance": round(memory.relevance, DIGITS),
        "confidence": memory.confidence,
        "provenance": memory.provenance,
        "said_at": memory.said_at,
        "valid_at": memory.valid_at,
        "possibly_outdated": note.possibly_outdated,
        "context": note.context or None,
        "topics": memory.topics,
        "aliases": memory.aliases,
        "metadata": memory.metadata,
        "sources": shown_sources(memory),
        "explain": explained(memory.explain, asked, memory) if memory.explain else None,
    }


def shown_reply(reply: RecalledMemory, asked: str) -> dict[str, Any]:
    """Return what the assistant said as the API shows it."""
    return {
        "id": reply.id,
        "text": reply.text,
        "said_by": ASSISTANT,
        "name": reply.name,
        "sort": reply.category if reply.category in GIVEN else None,
        "score": round(reply.score, DIGITS),
        "relevance": round(reply.relevance, DIGITS),
        "confidence": reply.confidence,
        "topics": reply.topics,
        "aliases": reply.aliases,
        "metadata": reply.metadata,
        "said_at": reply.said_at,
        "expires_at": reply.expires_at,
        "sources": shown_sources(reply),
        "explain": explained(reply.explain, asked, reply) if reply.explain else None,
    }


def shown_about(about: About) -> dict[str, Any]:
    """Return whom or what a note speaks of as the API shows it."""
    return {"kind": about.kind, "id": about.id, "label": about.label or None, "relation": about.relation or None}


def shown_sources(memory: RecalledMemory) -> list[dict[str, str | None]]:
    """Return the messages behind a memory as the API shows them."""
    return [{"conversation_id": one.conversation_id, "message_id": one.message_id} for one in memory.sources]


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
