"""Read the texts of the best memories, from the database under its row-level security: no image holds any."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory_platform.postgres.prepared_statements import Rows, Statement, fetch_together
from snapshots.embedding.snapshot_versions import EarlierSnapshot, parse_note_values
from snapshots.models import AboutKind
from snapshots.recall.values import (
    NOTES,
    SNAPSHOTS,
    MessageSource,
    NoteSubject,
    RankedHit,
    RecalledMemory,
    RecalledNote,
)
from tenants.isolation import current_tenant_id

NOTHING_CHANGED: Mapping[UUID, EarlierSnapshot] = {}

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


def load_texts(subject_id: UUID, hits: Sequence[RankedHit]) -> tuple[RecalledMemory, ...]:
    """Return the memories of ``hits`` with words and sources, in order, without gone ones."""
    if not hits:
        return ()
    (found,) = fetch_together([build_texts_statement(current_tenant_id(), subject_id, hits)])
    return parse_memories(found, hits)


def build_texts_statement(
    tenant_id: UUID, subject_id: UUID, hits: Sequence[RankedHit], sources_within: str | None = None
) -> Statement:
    """Return the statement that reads the memories of ``hits``; :func:`texts_of` reads its rows.

    With ``sources_within``, a memory of another conversation comes without its sources.
    """
    return Statement(TEXTS, [tenant_id, subject_id, render_uuid_array([hit.id for hit in hits]), sources_within])


def render_uuid_array(ids: Sequence[UUID]) -> str:
    """Return ids as a Postgres array literal: psycopg takes longer for a list."""
    return f"{{{','.join(map(str, ids))}}}"


def build_notes_statement(tenant_id: UUID, subject_id: UUID, hits: Sequence[RankedHit]) -> Statement:
    return replace(build_texts_statement(tenant_id, subject_id, hits), sql=NOTE_TEXTS)


def parse_notes(
    found: Rows, hits: Sequence[RankedHit], earlier: Mapping[UUID, EarlierSnapshot] = NOTHING_CHANGED
) -> tuple[RecalledNote, ...]:
    """Return the notes in rows of :func:`build_notes_statement`, ordered as ``hits``; ``earlier`` ones as they were."""
    rows = {row[0]: row for row in found}
    return tuple(_parse_note(rows[hit.id], hit, earlier.get(hit.id)) for hit in hits if hit.id in rows)


def parse_memories(
    found: Rows,
    hits: Sequence[RankedHit],
    earlier: Mapping[UUID, EarlierSnapshot] = NOTHING_CHANGED,
    *,
    lane: str = SNAPSHOTS,
) -> tuple[RecalledMemory, ...]:
    """Return the memories in rows of :func:`build_texts_statement` as ordered in ``hits``, without gone ones."""
    rows = {row[0]: row for row in found}
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
