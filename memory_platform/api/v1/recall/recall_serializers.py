"""The answer of a recall, with the explanation of each memory's place."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.fields import RoundedField
from memory_platform.api.requests.serializers import Output
from memory_platform.api.v1.memories.common_memory_fields import (
    TagBaseOutput,
    make_confidence_output,
    make_provenance_output,
    make_texts_output,
)
from memory_platform.api.v1.memories.note_serializers import (
    ABOUT_HELP,
    CONTEXT_HELP,
    GRADE_HELP,
    POSSIBLY_OUTDATED_HELP,
    VITAL_CLASS_HELP,
    VITAL_HELP,
    AboutOutput,
)
from memory_platform.api.v1.memories.snapshot_serializers import ALIASES_HELP, KIND_HELP, METADATA_HELP
from memory_platform.api.v1.recall.common_recall_fields import (
    POLICY_VERSION_HELP,
    RELEVANCE_HELP,
    AbstainedOutput,
    DegradedReasonField,
    ExperimentOutput,
    make_intent_output,
    render_experiment,
)
from memory_platform.api.v1.recall.document_scope import PassageCitationOutput
from profiles.provenance_and_verdict import Provenance
from profiles.services.tags.lookup import TagMatch
from snapshots.context.choosing.relevance_threshold import AbstainReason
from snapshots.context.turn.intent import detect_intent
from snapshots.knowledge.search.values import DocumentAnswer, FoundPassage
from snapshots.models import NoteGrade, VitalClass
from snapshots.policies.effective_policies import Policies
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.ranking.explanations import render_explanation
from snapshots.recall.ranking.score_factors import DIGITS
from snapshots.recall.values import (
    DOCUMENTS,
    SNAPSHOT_KINDS,
    SNAPSHOTS,
    RecalledMemory,
    RecalledNote,
    RecallQuery,
    join_reasons,
)
from snapshots.understanding.grading.assistant_reply_classifier import NOTHING, SORTS

ASSISTANT = "assistant"
# How a passage came to be known: the tenant wrote it.
DOCUMENT = "document"
REPLY_SORTS = [sort for sort in SORTS if sort != NOTHING]


class LaneHitOutput(Output):
    """The place of a memory in one kind of search."""

    rank = serializers.IntegerField(help_text="Rank, from 1.")
    score = serializers.FloatField(help_text="Score of this search: cosine or BM25.")
    view = serializers.ChoiceField(
        choices=["own", "window", "continued"],
        help_text="Text that was compared: `own` (the memory alone), `window` (with the memories around it), "
        "`continued` (with the message before it).",
    )


class KeywordHitOutput(LaneHitOutput):
    """The place of a memory in the keyword search."""

    words = make_texts_output(
        "Words of the question that the memory contains. Absent if it was found by words around it or near in meaning.",
        required=False,
    )


class FactorsOutput(Output):
    """Factors that multiply the score."""

    recency = serializers.FloatField(help_text="Newer memories weigh more.")
    confidence_effective = serializers.FloatField(help_text="Confidence after decay.")
    provenance = serializers.FloatField(help_text="A stronger provenance weighs more.")
    frequency = serializers.FloatField(help_text="Memories that were often useful weigh more.")


class RelevancePartsOutput(Output):
    """The parts of a relevance. A part that does not apply is absent.

    The relevance is `need` times: for `memories`, the probability halfway (in log-odds) between `as_note` and
    `as_statement`; for notes and replies, `as_note` raised by `in_time` and twice `asks_reply`, or `as_message`.
    Receipts also have `as_tag`, `as_older`, `as_slot` and `share`.
    """

    need = serializers.FloatField(help_text="How probably the question needs memory at all, 0 to 1.")
    named = serializers.FloatField(
        required=False, help_text="Lower bound of `need` because the question says a name that the memory contains."
    )
    as_note = serializers.FloatField(
        required=False, help_text="How probably words like these help a question like this."
    )
    as_statement = serializers.FloatField(
        required=False, help_text="How probably it helps, by its score among all messages."
    )
    as_message = serializers.FloatField(
        required=False, help_text="How probably the message of a note helps, if that is more than the note itself."
    )
    asks_reply = serializers.FloatField(
        required=False, help_text="How probably the question asks for what the assistant said. For replies only."
    )
    in_time = serializers.FloatField(
        required=False, help_text="Added because it was said at the time that the question names."
    )


class ExplainOutput(Output):
    """The explanation of a memory's place.

    The score is `semantic` (or `reranked`) times all factors, rounded. `semantic` is the relevance; for `memories` it
    is `need` times `as_statement`.
    """

    dense = LaneHitOutput(allow_null=True, help_text="Place in the vector search; null if it was not found there.")
    keyword = KeywordHitOutput(
        allow_null=True, help_text="Place in the keyword search; null if it was not found there."
    )
    fused = serializers.FloatField(help_text="Both searches together.")
    smoothed = serializers.FloatField(help_text="Part of `fused` that came from the memories around it.")
    conversation = serializers.FloatField(help_text="Part of `fused` that came from its conversation.")
    preferred = serializers.FloatField(help_text="Part of `fused` that came from who said it, when and how.")
    semantic = serializers.FloatField(help_text="What it is ranked by, before the factors, 0 to 1.")
    reranked = serializers.FloatField(
        allow_null=True, help_text="Relevance by the reranking model, in place of `semantic`; null without one."
    )
    factors = FactorsOutput(help_text="Factors that multiply the score.")
    relevance = RelevancePartsOutput(help_text="Parts of the relevance.")


class SourceOutput(Output):
    """The message behind a memory."""

    conversation_id = serializers.CharField(allow_null=True, help_text="Id of the conversation.")
    message_id = serializers.CharField(allow_null=True, help_text="Id of the message in the conversation.")


class RankedOutput(Output):
    """Something that a question found."""

    id = serializers.UUIDField(help_text="Id of the memory.")
    text = serializers.CharField(help_text="The remembered words.")
    score = RoundedField(digits=DIGITS, help_text="What the list is sorted by. Not comparable between questions.")
    relevance = RoundedField(digits=DIGITS, help_text=RELEVANCE_HELP)
    confidence = make_confidence_output()
    topics = make_texts_output("Topics of the memory.")
    aliases = make_texts_output(ALIASES_HELP)
    metadata = serializers.DictField(help_text=METADATA_HELP)
    said_at = serializers.DateTimeField(help_text="When it was said.")
    sources = SourceOutput(many=True, help_text="The messages that say it.")
    explain = ExplainOutput(allow_null=True, help_text="Why it has this place; null unless `explain` was true.")


class MemoryOutput(RankedOutput):
    """A memory that a question found; or, with the lane `documents`, a passage of a document.

    A passage has the id of its first chunk, the confidence 1, and its relevance for a score. `explain` is null.
    """

    lane = serializers.ChoiceField(choices=[SNAPSHOTS, DOCUMENTS], help_text="Lane that found it.")
    kind = serializers.ChoiceField(
        choices=[*SNAPSHOT_KINDS, DOCUMENTS], help_text=f"{KIND_HELP} `documents` for a passage."
    )
    grade = serializers.ChoiceField(
        choices=NoteGrade.values,
        allow_null=True,
        help_text="Kind of the notes made from it; null if there are none or they differ.",
    )
    name = serializers.CharField(allow_null=True, help_text="Name of the speaker; null if it is the user.")
    provenance = serializers.ChoiceField(
        choices=[*Provenance.values, DOCUMENT],
        help_text="How it came to be known; `document` for a passage of one.",
    )
    category = serializers.CharField(allow_null=True, help_text="The category, if any.")
    said_at = serializers.DateTimeField(allow_null=True, help_text="When it was said.")
    valid_at = serializers.DateTimeField(allow_null=True, help_text="Since when it is true.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="When it is deleted; null for never.")
    citation = PassageCitationOutput(allow_null=True, help_text="Where a passage stands; null for a memory.")

    @staticmethod
    def render_citation(memory: RecalledMemory) -> None:
        return None


class NoteDetailsOutput(Output):
    """Details of a note."""

    grade = serializers.ChoiceField(choices=NoteGrade.values, help_text=GRADE_HELP)
    about = AboutOutput(allow_null=True, help_text=ABOUT_HELP)
    vital = serializers.BooleanField(help_text=VITAL_HELP)
    vital_class = serializers.ChoiceField(choices=VitalClass.values, allow_null=True, help_text=VITAL_CLASS_HELP)
    possibly_outdated = serializers.BooleanField(help_text=POSSIBLY_OUTDATED_HELP)
    context_ = serializers.CharField(allow_null=True, help_text=CONTEXT_HELP)

    @staticmethod
    def render_vital(note: RecalledNote) -> bool:
        return bool(note.vital_class)


class BelievedOutput(RankedOutput):
    """Something that a question found and the platform believes."""

    provenance = make_provenance_output()
    valid_at = serializers.DateTimeField(help_text="Since when it is true.")


class RecalledNoteOutput(BelievedOutput, NoteDetailsOutput):
    """A note that a question found: a lasting thing in the user's own words."""


class RecalledReplyOutput(RankedOutput):
    """Something that the assistant said. The platform believes nothing about the user because of it."""

    said_by = serializers.ChoiceField(choices=[ASSISTANT], help_text="Always `assistant`.")
    name = serializers.CharField(allow_null=True, help_text="Name of the speaker, if it was given.")
    sort = serializers.ChoiceField(choices=REPLY_SORTS, allow_null=True, help_text="What the assistant gave.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="When it is deleted; null for never.")

    @staticmethod
    def render_said_by(reply: RecalledMemory) -> str:
        return ASSISTANT

    @staticmethod
    def render_sort(reply: RecalledMemory) -> str | None:
        return reply.category if reply.category in REPLY_SORTS else None


class RecalledTagOutput(TagBaseOutput):
    """A tag that a question names."""

    score = RoundedField(digits=DIGITS, help_text="How well the question names the tag, 0 to 1.")
    match = serializers.ChoiceField(
        choices=["exact", "alias", "fuzzy"],
        help_text="By what it was found: its label, an alias, or a similar spelling.",
    )


class RecallOutput(Output):
    """The memories that help with a question.

    `memories`, `notes` and `replies` are sorted by score, best first. A list is empty if its lane was not asked for.
    """

    memories = MemoryOutput(
        many=True, help_text="Snapshots that help with the question, and passages of documents if that lane was named."
    )
    profile = serializers.DictField(help_text="Profile fields that are known, by name.")
    preferences = serializers.DictField(
        child=serializers.DictField(), help_text="Current preferences: values by category and key."
    )
    notes = RecalledNoteOutput(many=True, help_text="Notes that help with the question.")
    replies = RecalledReplyOutput(many=True, help_text="What the assistant said, if the question asks for it.")
    tags = RecalledTagOutput(many=True, help_text="Tags that the question names, best first.")
    abstained = AbstainedOutput(allow_null=True, help_text="Why there is no memory, note or reply; null if there is.")
    intent = make_intent_output(allow_null=True)
    policy_version = serializers.CharField(help_text=POLICY_VERSION_HELP)
    experiment = ExperimentOutput(allow_null=True, help_text="The experiment that the subject takes part in, if any.")
    degraded_reason = DegradedReasonField()
    timings_ms = serializers.DictField(child=serializers.FloatField(), help_text="Milliseconds by stage.")

    @staticmethod
    def render_tags(answer: RecallAnswer) -> list[dict[str, Any]]:
        return [render_tag_match(match) for match in answer.lanes.meant_tags]


def render_recall(
    query: RecallQuery, answer: RecallAnswer, documents: DocumentAnswer, policies: Policies
) -> dict[str, Any]:
    question = query.text
    memories = [render_ranked(MemoryOutput, one, question) for one in answer.memories]
    if documents.passages:
        passages = map(render_passage, documents.passages)
        memories = sorted((*memories, *passages), key=lambda one: -float(one["score"]))[: query.top_k]
    return RecallOutput.render(
        answer,
        memories=memories,
        abstained=None if memories or answer.notes or answer.replies else render_abstained(answer),
        degraded_reason=join_reasons(answer.degraded | documents.degraded),
        timings_ms=add_document_times(answer.timings_ms, documents.timings_ms),
        profile=answer.lanes.beliefs.profile,
        preferences=answer.lanes.beliefs.preference_values,
        notes=[
            render_ranked(BelievedOutput, one.memory, question) | NoteDetailsOutput.render(one) for one in answer.notes
        ],
        replies=[render_ranked(RecalledReplyOutput, one, question) for one in answer.replies],
        intent=detect_intent(question, answer.vectors),
        policy_version=policies.version,
        experiment=render_experiment(policies),
    )


def render_ranked(output: type[RankedOutput], memory: RecalledMemory, question: str) -> dict[str, Any]:
    explain = render_explanation(memory.explain, question, memory) if memory.explain else None
    return output.render(memory, explain=explain)


def render_abstained(answer: RecallAnswer) -> dict[str, str]:
    unknown = answer.subject_id is None
    return {"reason": AbstainReason.UNKNOWN_SUBJECT if unknown else AbstainReason.NOTHING_RELEVANT}


def add_document_times(memory: Mapping[str, float], documents: Mapping[str, float]) -> dict[str, float]:
    spent = sum(documents.values())
    return {**memory, "documents": round(spent, 3), "total": memory["total"] + spent} if documents else dict(memory)


def render_passage(passage: FoundPassage) -> dict[str, Any]:
    """Return a passage as a member of `memories`: the tenant's own words, which nobody said."""
    relevance = round(passage.relevance, DIGITS)
    return {
        "id": str(passage.chunk_ids[0]),
        "text": passage.text,
        "score": relevance,
        "relevance": relevance,
        "confidence": 1.0,
        "topics": [],
        "aliases": [],
        "metadata": {},
        "said_at": None,
        "sources": [],
        "explain": None,
        "lane": DOCUMENTS,
        "kind": DOCUMENTS,
        "grade": None,
        "name": None,
        "provenance": DOCUMENT,
        "category": None,
        "valid_at": None,
        "expires_at": None,
        "citation": PassageCitationOutput.render(passage.citation),
    }


def render_tag_match(match: TagMatch) -> dict[str, Any]:
    return RecalledTagOutput.render(match.tag, score=round(match.score, DIGITS), match=match.match)
