"""Storing the lines of one table: existing rows stay as they are, a line that does not fit is rejected with a
reason."""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.db import models

from profiles.models import Preference, ProfileFact, Tag, TagDetail
from profiles.policy import BELIEFS as CEILINGS
from profiles.services.tombstones import forgotten_beliefs, forgotten_messages, forgotten_texts, has_marks
from profiles.values import Provenance
from snapshots.embedding.versions import IDS, NOTE
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation, Message, Note, Receipt, SnapshotVersion
from snapshots.portability.accept import LINK
from snapshots.portability.columns import read_row
from snapshots.portability.lines import BY_NAME, LineKind
from snapshots.portability.renaming import Renaming
from snapshots.portability.sensitive import without_sensitive

Values = dict[str, Any]
BELIEFS = (Preference, ProfileFact, Tag, TagDetail)
STORED, UNCHANGED, FORGOTTEN, CONFLICT, SENSITIVE = "stored", "unchanged", "forgotten", "conflict", "sensitive"


def read_lines(lines: Sequence[dict[str, Any]], renaming: Renaming) -> list[Values]:
    """Return lines of one table as columns, with the ids that they have here; keys of links stay None."""
    kind = BY_NAME[lines[0]["type"]]
    return [_renamed(read_row(kind, line), kind, renaming) for line in lines]


def store_rows(kind: LineKind, subject_id: UUID, rows: Sequence[Values], *, allow_forgotten: bool) -> Counter[str]:
    """Store rows of one table in the open scope; return the counts by result."""
    told = len(rows)
    rows = without_sensitive(kind.model, rows)
    kept = list(rows) if allow_forgotten else _without_forgotten(kind, subject_id, rows)
    fates = Counter({SENSITIVE: told - len(rows), FORGOTTEN: len(rows) - len(kept)})
    fitting = _with_keys_there(kind, subject_id, kept)
    before = ids_there(kind.model, subject_id, [row["id"] for row in fitting])
    new = [row for row in fitting if row["id"] not in before]
    objects = [kind.model(subject_id=subject_id, **_columns(kind, row)) for row in new]
    kind.model._default_manager.bulk_create(objects, ignore_conflicts=True, batch_size=500)
    stored = ids_there(kind.model, subject_id, [row["id"] for row in new])
    _restore_times(kind, [one for one in objects if one.pk in stored], {row["id"]: row for row in new})
    fates += Counter({STORED: len(stored), UNCHANGED: len(before)})
    fates[CONFLICT] += len(kept) - len(stored) - len(before)
    return fates


def store_links(lines: Iterable[dict[str, Any]], subject_id: UUID, renaming: Renaming) -> Counter[str]:
    """Set keys between rows of one table, where both rows exist and the key is not set yet."""
    stored = 0
    for line in lines:
        kind = BY_NAME[line["of"]]
        wanted = {name: renaming.of(UUID(line[name])) for name in kind.later if line.get(name)}
        there = ids_there(kind.model, subject_id, wanted.values())
        row = kind.model._default_manager.filter(subject_id=subject_id, id=renaming.of(UUID(line["id"])))
        for name, value in wanted.items():
            if value in there:
                stored += row.filter(**{f"{name}__isnull": True}).update(**{name: value})
    return Counter({f"{LINK}s": stored})


def same_conversations(rows: Sequence[Values], subject_id: UUID) -> dict[str, str]:
    names = {row["external_id"]: row["id"] for row in rows}
    held = Conversation.objects.filter(subject_id=subject_id, external_id__in=names).order_by()
    found = held.values_list("external_id", "id")
    return {str(names[name]): str(row_id) for name, row_id in found if row_id != names[name]}


def ids_there(model: type[models.Model], subject_id: UUID, ids: Iterable[UUID]) -> set[UUID]:
    wanted = set(ids)
    if not wanted:
        return set()
    rows = model._default_manager.filter(subject_id=subject_id, id__in=wanted).order_by()
    return set(rows.values_list("id", flat=True))


def _renamed(values: Values, kind: LineKind, renaming: Renaming) -> Values:
    own = {"id", *kind.keys, *kind.ids}
    renamed = {name: _renamed_value(value, renaming) if name in own else value for name, value in values.items()}
    if kind.model is Receipt:
        renamed["candidates"] = [
            {**one, "memory_id": renaming.of_text(one.get("memory_id"))} for one in renamed["candidates"]
        ]
    if kind.model is SnapshotVersion:
        renamed["fields"] = _renamed_image(renamed["fields"], renaming)
    return renamed


def _renamed_image(fields: Mapping[str, Any], renaming: Renaming) -> dict[str, Any]:
    renamed = {name: renaming.of_text(value) if name in IDS else value for name, value in fields.items()}
    if isinstance(renamed.get(NOTE), Mapping):
        renamed[NOTE] = _renamed_image(renamed[NOTE], renaming)
    return renamed


def _renamed_value(value: Any, renaming: Renaming) -> Any:
    if isinstance(value, list):
        return [renaming.of(one) for one in value]
    return None if value is None else renaming.of(value)


def _with_keys_there(kind: LineKind, subject_id: UUID, rows: Sequence[Values]) -> list[Values]:
    """Return the rows whose keys refer to existing rows; a nullable key without its row becomes None."""
    fitting = [dict(row) for row in rows]
    for name, model in kind.keys.items():
        there = ids_there(model, subject_id, [row[name] for row in fitting if row[name]])
        if kind.columns[name].null:
            for row in fitting:
                row[name] = row[name] if row[name] in there else None
        else:
            fitting = [row for row in fitting if row[name] in there]
    return fitting


def _columns(kind: LineKind, row: Values) -> Values:
    if kind.model is Message:
        return {**row, "content_hash": fingerprint(row)}
    if kind.model in BELIEFS:
        return {**row, "confidence": CEILINGS.cap_confidence(row["confidence"], Provenance(row["provenance"]))}
    if kind.model is Receipt and row.get("rendered") is not None:
        return {**row, "rendered": zlib.compress(orjson.dumps(row["rendered"]))}
    return row


def fingerprint(row: Values) -> bytes:
    """Return the hash that tells a repeated post of this message from another one."""
    return IncomingMessage(
        role=row["role"],
        content=row["content"],
        name=row["name"],
        tool_calls=row["tool_calls"],
        tool_call_id=row["tool_call_id"] or None,
    ).fingerprint()


def _restore_times(kind: LineKind, objects: Sequence[models.Model], rows: Mapping[UUID, Values]) -> None:
    own = [
        name
        for name, column in kind.columns.items()
        if getattr(column, "auto_now", False) or getattr(column, "auto_now_add", False)
    ]
    for one in objects:
        for name in own:
            setattr(one, name, rows[one.pk][name])
    if own and objects:
        kind.model._default_manager.bulk_update(objects, own, batch_size=500)


def _without_forgotten(kind: LineKind, subject_id: UUID, rows: Sequence[Values]) -> list[Values]:
    if not has_marks(subject_id):
        return list(rows)
    if kind.model in BELIEFS:
        known = forgotten_beliefs(subject_id, [row["id"] for row in rows])
        rows = [row for row in rows if row["id"] not in known]
    sift = _SIFTS.get(kind.model)
    return list(rows) if sift is None else sift(subject_id, rows)


def _preferences_not_forgotten(subject_id: UUID, rows: Sequence[Values]) -> list[Values]:
    gone = forgotten_texts(subject_id, [text for row in rows for text in (row["statement"], str(row["value"]))])
    kept = [row for row in rows if str(row["value"]) not in gone]
    return [{**row, "statement": "" if row["statement"] in gone else row["statement"]} for row in kept]


def _versions_not_forgotten(subject_id: UUID, rows: Sequence[Values]) -> list[Values]:
    gone = forgotten_texts(subject_id, [str(row["fields"].get("text", "")) for row in rows])
    return [row for row in rows if str(row["fields"].get("text", "")) not in gone]


def _notes_without_forgotten(subject_id: UUID, rows: Sequence[Values]) -> list[Values]:
    gone = forgotten_texts(subject_id, [row["context"] for row in rows])
    return [{**row, "context": "" if row["context"] in gone else row["context"]} for row in rows]


def _messages_not_forgotten(subject_id: UUID, rows: Sequence[Values]) -> list[Values]:
    conversations = Conversation.objects.filter(subject_id=subject_id, id__in={row["conversation_id"] for row in rows})
    named = dict(conversations.order_by().values_list("id", "external_id"))
    names = {row["id"]: (named.get(row["conversation_id"], ""), row["external_id"]) for row in rows}
    gone = forgotten_messages(subject_id, list(names.values()))
    texts = forgotten_texts(subject_id, [row["content"] for row in rows])
    return [row for row in rows if names[row["id"]] not in gone and row["content"] not in texts]


# For each table, a function that removes forgotten things from its rows.
_SIFTS: Mapping[type[models.Model], Callable[[UUID, Sequence[Values]], list[Values]]] = {
    Message: _messages_not_forgotten,
    Preference: _preferences_not_forgotten,
    SnapshotVersion: _versions_not_forgotten,
    Note: _notes_without_forgotten,
    # What a prompt showed cannot be compared with a tombstone.
    Receipt: lambda _, rows: [{**row, "rendered": None} for row in rows],
}
