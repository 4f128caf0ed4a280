"""Apply later changes to memories: ended words stay out, and an older note comes with the newer one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from memory_platform.kernel.clock import at_offset
from profiles.models import TagKind
from snapshots.context.choosing.adjusted_relevance import raise_relevance
from snapshots.context.choosing.deduplicate import hash_words
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.values import MemoryItem
from snapshots.understanding.changes.change_words import find_cues
from snapshots.understanding.changes.sentence_note_features import list_words
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.text_folding import fold_for_matching

# Keys of slots that stay true when a note that says them is doubted: a name, a condition, or a contact.
SURE_KEYS = "(^name|conditions)$"
# Notes that ended, are doubted or were said again, as far as a context needs them: those of its notes and messages
# ($3), those in a prefix or with slots, those whose old words one of its replies ($4) may say, the notes that these
# lead to, and all ended ones where the question asks for the past ($5). Each row has the newer note or message, the
# message that ended it where asked for, and the doubted slots that it fills with the time since when.
CHANGED = f"""
WITH RECURSIVE changed AS MATERIALIZED (
  SELECT n.snapshot_id, n.statement_id, n.vital_class, n.possibly_outdated, s.invalid_at,
         coalesce(s.superseded_by_id, n.newer) AS newer
  FROM note n JOIN snapshot s ON s.tenant_id = n.tenant_id AND s.id = n.snapshot_id
  WHERE n.tenant_id = $1 AND n.subject_id = $2 AND s.retired_at IS NULL
    AND (s.invalid_at IS NOT NULL OR n.possibly_outdated OR n.newer IS NOT NULL)
), wanted AS (
  SELECT c.snapshot_id, c.newer FROM changed c
  WHERE c.statement_id = ANY($3) OR c.snapshot_id = ANY($3) OR (c.vital_class <> '' AND c.invalid_at IS NULL)
    OR ($5::boolean AND c.invalid_at IS NOT NULL)
    OR (c.possibly_outdated AND EXISTS (
      SELECT FROM note_slot l WHERE l.tenant_id = $1 AND l.snapshot_id = c.snapshot_id))
    OR ((c.possibly_outdated OR c.invalid_at IS NOT NULL) AND EXISTS (
      SELECT FROM snapshot later WHERE later.tenant_id = $1 AND later.id = c.newer
        AND later.valid_at > (SELECT min(r.valid_at) FROM snapshot r WHERE r.tenant_id = $1 AND r.id = ANY($4))))
  UNION
  SELECT c.snapshot_id, c.newer FROM wanted w JOIN changed c ON c.snapshot_id = w.newer
)
SELECT s.id, s.text, s.confidence, s.provenance, s.valid_at, s.said_offset, n.grade, n.statement_id, n.about_label,
       n.relation, n.context, n.vital_class, s.invalid_at,
       CASE WHEN $5::boolean AND s.invalid_at IS NOT NULL AND NOT m.archived
         AND (s.expires_at IS NULL OR s.expires_at > now()) THEN m.content END,
       CASE WHEN n.possibly_outdated THEN coalesce(m.said_at, d.at) END, m.said_offset,
       ARRAY(SELECT coalesce(l.preference_id, l.fact_id, l.tag_id) FROM note_slot l
         LEFT JOIN preference p ON p.tenant_id = l.tenant_id AND p.id = l.preference_id
         LEFT JOIN profile_fact f ON f.tenant_id = l.tenant_id AND f.id = l.fact_id
         LEFT JOIN tag t ON t.tenant_id = l.tenant_id AND t.id = l.tag_id
         WHERE l.tenant_id = $1 AND l.snapshot_id = n.snapshot_id AND n.possibly_outdated
           AND coalesce(p.key, f.field, '') !~ '{SURE_KEYS}'
           AND coalesce(t.kind, '{TagKind.PLACE}') = '{TagKind.PLACE}'),
       o.kind,
       o.id, o.text, o.confidence, o.provenance, o.valid_at, o.said_offset, coalesce(nn.grade, ''), nn.statement_id,
       coalesce(nn.about_label, ''), coalesce(nn.relation, ''), coalesce(nn.context, ''), coalesce(nn.vital_class, ''),
       o.retired_at IS NULL AND (o.expires_at IS NULL OR o.expires_at > now())
FROM changed c
JOIN note n ON n.tenant_id = $1 AND n.snapshot_id = c.snapshot_id
JOIN snapshot s ON s.tenant_id = $1 AND s.id = c.snapshot_id
LEFT JOIN message m ON m.tenant_id = $1 AND m.id = n.changed_by AND (n.possibly_outdated OR $5::boolean)
LEFT JOIN LATERAL (SELECT max(v.retired_at) AS at FROM snapshot_version v
  WHERE n.possibly_outdated AND m.id IS NULL AND v.tenant_id = $1 AND v.snapshot_id = n.snapshot_id
    AND v.fields @> '{{"note": {{"possibly_outdated": false}}}}') d ON true
LEFT JOIN snapshot o ON o.tenant_id = $1 AND o.id = c.newer
LEFT JOIN note nn ON nn.tenant_id = $1 AND nn.snapshot_id = o.id
WHERE c.snapshot_id IN (SELECT snapshot_id FROM wanted)
"""  # noqa: S608  # made of constants; values are parameters
# The columns of the note itself, the same as those of a standing note.
_OWN = 12


@dataclass(frozen=True, slots=True)
class NoteChange:
    """The change of a note: it is over, doubtful since a moment, or a ``newer`` note says it again. ``older``: the note
    that ended, where it may stand with its end."""

    note_id: str
    text: str
    is_over: bool
    doubted_at: datetime | None
    newer: MemoryItem | None
    older: MemoryItem | None = None


Retold = tuple[NoteChange, frozenset[str], MemoryItem, frozenset[str]]


@dataclass(frozen=True)
class NoteChanges:
    """The changes of a subject's notes, by ids of notes and of statements, and since when slots are doubted."""

    of_note: Mapping[str, NoteChange] = field(default_factory=dict)
    of_statement: Mapping[str, Sequence[NoteChange]] = field(default_factory=dict)
    of_slot: Mapping[str, datetime] = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Any]], item_of: Callable[[Sequence[Any]], MemoryItem]) -> "NoteChanges":
        of_note, of_slot = dict[str, NoteChange](), dict[str, datetime]()
        of_statement = defaultdict[str, list[NoteChange]](list)
        for row in rows:
            own, (ended_at, ended_by, said_at, offset, slots, kind, *newer, is_held) = row[:_OWN], row[_OWN:]
            note_id, text, statement_id, is_over = own[0], own[1], own[7], ended_at is not None
            doubted_at = said_at and at_offset(said_at, offset)
            item = None
            if newer[0] is not None and is_held:  # not more relevant than the memory that it comes with
                item = replace(item_of((*newer, None)), kind=kind, relevance=0.0, score=0.0)
            if doubted_at and not is_over:
                of_slot |= {str(slot): doubted_at for slot in slots}
            older = None
            if ended_by is not None and not is_correction(ended_by):
                until = at_offset(ended_at, offset)
                older = replace(item_of((*own, None)), vital=False, ended_at=until, relevance=0.0, score=0.0)
            change = NoteChange(str(note_id), text, is_over, None if is_over else doubted_at, item, older)
            of_note[change.note_id] = change
            of_statement[str(statement_id or "")].append(change)
        return cls(of_note, of_statement, of_slot)

    def list_changes_of(self, item: MemoryItem) -> Sequence[NoteChange]:
        """Return the changes of a note, of a statement's notes, or of notes whose old words a reply says."""
        if item.lane != "snapshots":
            return ()
        if item.kind == "reply":
            return list(self._list_changes_behind_reply(item))
        if item.kind == "note":
            return [self.of_note[item.id]] if item.id in self.of_note else ()
        return self.of_statement.get(item.id, ())

    def _list_changes_behind_reply(self, reply: MemoryItem) -> Iterator[NoteChange]:
        """Yield notes that were over, or doubted, after the assistant repeated them: the reply may be outdated."""
        said = list_words(reply.text)
        near = {one[0].note_id: one for word in said for one in self._changes_by_word.get(word, ())}
        for change, old, newest, new in near.values():
            if newest.valid_since is None or reply.valid_since is None:
                continue
            if reply.valid_since < newest.valid_since and says_only_old_words(said, old, new):
                yield replace(change, text=reply.text, is_over=False, doubted_at=newest.valid_since)

    @cached_property
    def _changes_by_word(self) -> Mapping[str, Sequence[Retold]]:
        found = defaultdict[str, list[Retold]](list)
        for change in self.of_note.values():
            newest = self.find_newest(change) if change.is_over or change.doubted_at else None
            if newest is not None:
                old, new = list_words(change.text), list_words(newest.text)
                for word in old & new:
                    found[word].append((change, old, newest, new))
        return found

    def mark_slots(self, items: Iterable[MemoryItem]) -> tuple[MemoryItem, ...]:
        """Return slots, doubted ones with the day since when."""
        return tuple(replace(one, doubted_since=self.of_slot.get(one.id)) for one in items)

    def find_newest(self, change: NoteChange) -> MemoryItem | None:
        """Return the note that holds now in place of a changed one.

        Notes that are over or doubtful are followed to newer ones. A note that was only said again may be about
        something else: it is not followed.
        """
        seen, newest = {change.note_id}, None
        after: NoteChange | None = change
        while after is not None and after.newer is not None and after.newer.id not in seen:
            seen.add(after.newer.id)
            newest = after.newer
            following = self.of_note.get(newest.id)
            after = following if following and (following.is_over or following.doubted_at) else None
        is_over = newest is not None and newest.id in self.of_note and self.of_note[newest.id].is_over
        return None if is_over else newest


def update_changed_items(
    items: Iterable[MemoryItem], changes: NoteChanges, *, fetches: bool = True
) -> list[MemoryItem]:
    """Return items without words that are over, doubted ones marked, and newer notes before the older.

    A newer note is as relevant as the older one. Without ``fetches``, only newer notes among the items count.
    """
    kept: dict[tuple[str, str], MemoryItem] = {}
    wanted: dict[str, MemoryItem] = {}
    for item in items:
        now = _apply_changes(item, changes.list_changes_of(item))
        if now is not None:
            kept[item.lane, item.id] = now
        for newest in filter(None, map(changes.find_newest, changes.list_changes_of(item))):
            before = wanted.get(newest.id, newest)
            wanted[newest.id] = _raise_to_older(before, item)
    for note_id, newest in wanted.items():
        own = kept.get((newest.lane, note_id))
        if own or fetches:
            kept[newest.lane, note_id] = _raise_to_older(own, newest) if own else newest
    return sorted(kept.values(), key=lambda item: item.id not in wanted)


def list_ended_notes(items: Sequence[MemoryItem], changes: NoteChanges) -> list[MemoryItem]:
    """Return ended notes whose replacement helps, with its relevance, unless they repeat an item."""
    held = {item.id: item for item in items}
    ended: list[MemoryItem] = []
    for change in changes.of_note.values():
        newest = changes.find_newest(change) if change.older else None
        now = held.get(newest.id) if newest else None
        if change.older and now and now.relevance >= DEFAULT_CONTEXT.min_relevance:
            ended.append(_raise_to_older(change.older, now))
    said = {hash_words(item.text) for item in items} if ended else set[bytes]()
    return [item for item in ended if hash_words(item.text) not in said]


def is_correction(text: str) -> bool:
    """Return whether a message that ended something says that it was never so: then it held until no day."""
    return "wrong" in find_cues(fold_for_matching(text))


def says_only_old_words(words: frozenset[str], old: frozenset[str], new: frozenset[str]) -> bool:
    """Return whether ``words`` has a word of the ``old`` note, none of the ``new`` one, and their topic."""
    return bool(words & old & new) and bool(words & (old - new)) and not words & (new - old)


def _apply_changes(item: MemoryItem, changes: Sequence[NoteChange]) -> MemoryItem | None:
    """Return an item as its words hold now; None where nothing of them does."""
    text = item.text
    for one in changes:
        if one.is_over and item.kind != "note":
            text = text.replace(one.text, " ")
    text = " ".join(text.split()).strip(_LOOSE) if text != item.text else text
    if text != item.text and not tells_something(text):
        return None
    doubted = [one for one in changes if one.doubted_at and len(one.text) >= DOUBTED * len(text)]
    since = max((one.doubted_at for one in doubted if one.doubted_at), default=None)
    return replace(item, text=text, doubted_since=since) if text != item.text or since else item


# The share of a message's characters in doubted notes from which the message is doubtful.
DOUBTED = 0.6
_LOOSE = " ,;:、，。；"


def _raise_to_older(newer: MemoryItem, older: MemoryItem) -> MemoryItem:
    relevance, score = max(newer.relevance, older.relevance), max(newer.score, older.score)
    return raise_relevance(newer, relevance, score, "as_older", older.explain)
