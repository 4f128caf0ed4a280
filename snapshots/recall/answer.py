"""The answer of one recall: the statements that read it beside the indexes, and its rows.

Texts come from the database under its row-level security: no index holds any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any
from uuid import UUID

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import truncate_text
from memory_platform.postgres.prepared_statements import Rows, Statement, fetch_together
from profiles.belief_queries import (
    BeliefQuery,
    BeliefRows,
    build_beliefs,
    build_beliefs_statement,
    build_tags,
    build_tags_statement,
)
from profiles.models import Tag
from profiles.services.tags.lookup import TagMatch, lookup_tags
from snapshots.embedding.snapshot_history import NOTHING_CHANGED, EarlierSnapshot, parse_note_values
from snapshots.models import AboutKind
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.loading.load_stored_memory import (
    STATE,
    MemoryState,
    SubjectReader,
    build_zone_statement,
    parse_state,
    parse_zone,
)
from snapshots.recall.values import (
    NOTES,
    REPLIES,
    SNAPSHOTS,
    DegradedReason,
    MessageSource,
    NoteSubject,
    RankedHit,
    RecalledMemory,
    RecalledNote,
    RecallQuery,
)
from tenants.isolation import current_tenant_id

_TEXTS = """
SELECT s.id, s.kind, s.text, s.name, s.confidence, s.provenance, s.category, s.topics, s.said_at, s.said_offset,
       s.valid_at, s.expires_at, s.aliases, s.metadata, links.sources,
       CASE WHEN $4::text IS NULL THEN (
         SELECT min(made.grade) FROM note made
         JOIN snapshot held ON held.tenant_id = made.tenant_id AND held.id = made.snapshot_id
         WHERE made.tenant_id = s.tenant_id AND made.statement_id = s.id AND held.retired_at IS NULL
         HAVING min(made.grade) = max(made.grade)) END %s
FROM snapshot s %s
LEFT JOIN LATERAL (
  SELECT array_agg(ARRAY[c.external_id, m.external_id]::text[] ORDER BY m.said_at, m.seq) AS sources
  FROM snapshot_source l
  JOIN message m ON m.tenant_id = l.tenant_id AND m.id = l.message_id
  JOIN conversation c ON c.tenant_id = m.tenant_id AND c.id = m.conversation_id
  WHERE l.tenant_id = s.tenant_id AND l.memory_id = s.id AND ($4::text IS NULL OR s.conversation_id IS NULL OR
    s.conversation_id = (SELECT id FROM conversation WHERE tenant_id = $1 AND subject_id = $2 AND external_id = $4))
) links ON true
WHERE s.tenant_id = $1 AND s.subject_id = $2 AND s.id = ANY($3)
"""
TEXTS = _TEXTS % ("", "")
_NOTE_COLUMNS = (
    *("grade", "about_kind", "about_tag_id", "about_label", "relation"),
    *("vital_class", "possibly_outdated", "context", "statement_id"),
)
NOTE_TEXTS = _TEXTS % (
    "".join(f", n.{name}" for name in _NOTE_COLUMNS) + ", t.label, t.relation",
    """
JOIN note n ON n.tenant_id = s.tenant_id AND n.snapshot_id = s.id
LEFT JOIN tag t ON t.tenant_id = n.tenant_id AND t.id = n.about_tag_id""",
)
# The columns of a memory. The last is the grade that all notes made from it share, which contexts do not ask for. A
# note's own columns follow, then those of its contact.
_COLUMNS = 16
_CHANGING = ("text", "confidence", "provenance", "metadata", "said_at", "said_offset", "valid_at")


@dataclass(frozen=True, slots=True)
class LaneAnswers:
    """The lanes that are read without a search, empty where not asked for. ``tags`` are all tags of the subject,
    ``meant`` those that the question means, the best first."""

    beliefs: BeliefRows = field(default_factory=BeliefRows)
    tags: tuple[Tag, ...] = ()
    meant_tags: tuple[TagMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Snapshots, notes and replies best first, the other lanes, degraded reasons, and milliseconds by stage.

    ``subject_id`` is None for an unknown subject. ``state`` is that of the memory when the texts were read, ``more``
    are the rows of the caller's own statements, ``vectors`` the question's by embedding space. ``zone`` is the
    subject's time zone, None where it is unknown. ``holds_any``: whether any memory is held, found or not.
    """

    memories: tuple[RecalledMemory, ...] = ()
    lanes: LaneAnswers = field(default_factory=LaneAnswers)
    degraded: frozenset[DegradedReason] = frozenset()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    subject_id: UUID | None = None
    state: MemoryState = field(default_factory=MemoryState)
    more: tuple[Rows, ...] = ()
    vectors: Mapping[str, Float32] = field(default_factory=dict)
    left_out: tuple[RankedHit, ...] = ()
    notes: tuple[RecalledNote, ...] = ()
    replies: tuple[RecalledMemory, ...] = ()
    needs: float = 1.0
    zone: tzinfo | None = None
    holds_any: bool = False


@dataclass(frozen=True, slots=True)
class BestHits:
    """The best memories of each lane that is ranked, and those that the answer leaves out."""

    hits: Sequence[RankedHit]
    notes: Sequence[RankedHit]
    replies: Sequence[RankedHit]
    left_out: Sequence[RankedHit] = ()


def build_answer_statements(
    reader: SubjectReader, subject_id: UUID, query: RecallQuery, best: BestHits
) -> Sequence[Statement]:
    """Return the statements that read an answer beside the indexes; :func:`parse_answer` reads their rows."""
    tenant_id, beliefs = reader.tenant_id, build_belief_query(query)
    notes = [replace(build_texts_statement(tenant_id, subject_id, best.notes), sql=NOTE_TEXTS)]
    return (
        reader.statement(STATE),
        build_zone_statement(tenant_id, subject_id),
        build_beliefs_statement(tenant_id, subject_id, beliefs),
        build_tags_statement(tenant_id, subject_id, beliefs),
        build_texts_statement(tenant_id, subject_id, [*best.hits, *best.replies], query.sources_within),
        *(notes if NOTES in query.lanes else ()),
    )


def parse_answer(
    query: RecallQuery, results: Sequence[Rows], best: BestHits, earlier: Mapping[UUID, EarlierSnapshot]
) -> RecallAnswer:
    """Return the rows of :func:`build_answer_statements` and of the caller's own statements as an answer."""
    state, zone, beliefs, tags, texts, *more = results
    notes = parse_notes(more.pop(0), best.notes, earlier) if NOTES in query.lanes else ()
    answer = RecallAnswer(
        memories=parse_memories(texts, best.hits, earlier),
        notes=notes,
        replies=parse_memories(texts, best.replies, earlier, lane=REPLIES),
        left_out=tuple(best.left_out),
        lanes=build_lane_answers(query, build_beliefs(beliefs), build_tags(tags)),
        more=tuple(more),
    )
    subject_id, memory_state = parse_state(state)
    return replace(answer, subject_id=subject_id, state=memory_state, zone=parse_zone(zone))


def build_belief_query(query: RecallQuery) -> BeliefQuery:
    facts, preferences = "profile" in query.lanes, "preferences" in query.lanes
    return BeliefQuery(query.as_of, query.known_at, facts=facts, preferences=preferences)


def build_lane_answers(query: RecallQuery, beliefs: BeliefRows, tags: tuple[Tag, ...]) -> LaneAnswers:
    if "tags" not in query.lanes or not tags:
        return LaneAnswers(beliefs=beliefs)
    meant = lookup_tags(truncate_text(query.text, DEFAULT_RECALL.tag_question_chars), tags)
    return LaneAnswers(beliefs=beliefs, tags=tags, meant_tags=tuple(meant))


def load_texts(subject_id: UUID, hits: Sequence[RankedHit]) -> tuple[RecalledMemory, ...]:
    """Return the memories of ``hits`` with words and sources, in order, without gone ones."""
    if not hits:
        return ()
    (found,) = fetch_together([build_texts_statement(current_tenant_id(), subject_id, hits)])
    return parse_memories(found, hits)


def build_texts_statement(
    tenant_id: UUID, subject_id: UUID, hits: Sequence[RankedHit], sources_within: str | None = None
) -> Statement:
    """Return the statement that reads the memories of ``hits``; :func:`parse_memories` reads its rows. With
    ``sources_within``, a memory of another conversation comes without its sources."""
    return Statement(TEXTS, [tenant_id, subject_id, render_uuid_array([hit.id for hit in hits]), sources_within])


def render_uuid_array(ids: Sequence[UUID]) -> str:
    """Return ids as a Postgres array literal: psycopg takes longer for a list."""
    return f"{{{','.join(map(str, ids))}}}"


def parse_notes(
    note_rows: Rows, hits: Sequence[RankedHit], earlier: Mapping[UUID, EarlierSnapshot] = NOTHING_CHANGED
) -> tuple[RecalledNote, ...]:
    """Return the notes in rows of NOTE_TEXTS, ordered as ``hits``; ``earlier`` ones as they were."""
    rows = {row[0]: row for row in note_rows}
    return tuple(_parse_note(rows[hit.id], hit, earlier.get(hit.id)) for hit in hits if hit.id in rows)


def parse_memories(
    memory_rows: Rows,
    hits: Sequence[RankedHit],
    earlier: Mapping[UUID, EarlierSnapshot] = NOTHING_CHANGED,
    *,
    lane: str = SNAPSHOTS,
) -> tuple[RecalledMemory, ...]:
    """Return the memories in rows of :func:`build_texts_statement` as ordered in ``hits``, without gone ones."""
    rows = {row[0]: row for row in memory_rows}
    memories = tuple(_parse_memory(rows[hit.id], hit, lane) for hit in hits if hit.id in rows)
    return (
        tuple(_restore_earlier_values(memory, earlier.get(memory.id)) for memory in memories) if earlier else memories
    )


def _restore_earlier_values(memory: RecalledMemory, then: EarlierSnapshot | None) -> RecalledMemory:
    if then is None:
        return memory
    held = then.snapshot
    values: dict[str, Any] = {name: getattr(held, name) for name in _CHANGING}
    values |= {"topics": tuple(held.topics), "aliases": tuple(held.aliases), "category": held.category or None}
    return replace(memory, **values)


def _parse_note(row: Sequence[Any], hit: RankedHit, then: EarlierSnapshot | None) -> RecalledNote:
    *own, label, relation = row[_COLUMNS:]
    today = dict(zip(_NOTE_COLUMNS, own, strict=True))
    note = {**today, **parse_note_values(then.note)} if then else today
    if note["about_tag_id"] != today["about_tag_id"]:
        label = relation = None  # those of another contact
    about = NoteSubject(
        kind=note["about_kind"],
        id=note["about_tag_id"],
        label=note["about_label"] or label or "",
        relation=note["relation"] or relation or "",
    )
    return RecalledNote(
        memory=_restore_earlier_values(_parse_memory(row[:_COLUMNS], hit, NOTES), then),
        grade=note["grade"],
        about=None if about.kind == AboutKind.SELF else about,
        vital_class=note["vital_class"],
        possibly_outdated=note["possibly_outdated"],
        context=note["context"],
        statement_id=note["statement_id"],
    )


def _parse_memory(row: Sequence[Any], hit: RankedHit, lane: str) -> RecalledMemory:
    memory_id, kind, text, name, confidence, provenance, category, topics, *more = row
    said_at, said_offset, valid_at, expires_at, aliases, metadata, sources, grade = more
    return RecalledMemory(
        id=memory_id,
        lane=lane,
        kind=kind,
        text=text,
        name=name,
        score=hit.score,
        relevance=hit.relevance,
        confidence=confidence,
        provenance=provenance,
        category=category or None,
        topics=tuple(topics),
        said_at=said_at,
        said_offset=said_offset,
        valid_at=valid_at,
        expires_at=expires_at,
        sources=tuple(MessageSource(*pair) for pair in sources or ()),
        explain=hit.explain,
        aliases=tuple(aliases),
        metadata=metadata,
        grade=grade,
    )
