"""Storing the lines of one table: existing rows stay as they are, a line that does not fit is rejected with a
reason.

Beliefs, proposals and earlier words with a card number or a secret are left out. A note stays, since its words are
masked with its snapshot; it loses details that must not be remembered.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.db import models

from profiles.config import BELIEFS as CEILINGS
from profiles.models import Candidate, DetailName, Preference, ProfileFact, Tag, TagDetail
from profiles.provenance_and_verdict import Provenance
from profiles.services.tombstones import (
    find_forgotten_beliefs,
    find_forgotten_messages,
    find_forgotten_texts,
    has_tombstones,
)
from snapshots.embedding.snapshot_history import IDS, NOTE
from snapshots.intake.values import IncomingMessage
from snapshots.memory_files.paths import BULLETS
from snapshots.models import Conversation, MemoryFile, Message, Note, Receipt, SnapshotVersion
from snapshots.portability.accept_import import LINK_LINE
from snapshots.portability.line_kinds import KIND_BY_NAME, LINE_KINDS, IdMapping, LineKind
from snapshots.portability.parse_line import read_row
from snapshots.recall.values import DOCUMENTS
from snapshots.sensitive.detector import (
    is_sensitive,
    is_sensitive_list,
    is_sensitive_named,
    is_telephone,
    mask_sensitive,
)

_NAME_COLUMN = {Preference: "key", ProfileFact: "field", TagDetail: "detail", Candidate: "target"}
_TEXT_COLUMNS: Mapping[type[models.Model], tuple[str, ...]] = {
    Preference: ("category", "key", "value", "statement"),
    ProfileFact: ("field", "value"),
    Candidate: ("target", "value", "proposal"),
    Tag: ("label", "address", "phone", "relation", "aliases"),
    TagDetail: ("value",),
    SnapshotVersion: ("fields",),
    MemoryFile: ("path", "text"),
}


def drop_sensitive_rows(model: type[models.Model], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of one table, as columns, without sensitive ones, which a product may not write either."""
    if model is Note:
        return [_mask_note(row) for row in rows]
    return [row for row in rows if not _holds_sensitive(model, row)] if model in _TEXT_COLUMNS else list(rows)


def _mask_note(row: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: "" for name in ("about_label", "relation") if is_sensitive(row[name])}
    return {**row, **named, "context": mask_sensitive(row["context"])[0]}


def _holds_sensitive(model: type[models.Model], row: Mapping[str, Any]) -> bool:
    told = {name: row.get(name) for name in _TEXT_COLUMNS[model]}
    if model is Tag and is_telephone(str(told["phone"] or "")):
        del told["phone"]
    if model is TagDetail and row["detail"] == DetailName.PHONE and is_telephone(str(told["value"])):
        return False
    called = str(row[_NAME_COLUMN[model]]) if model in _NAME_COLUMN else ""
    return any(_is_sensitive(called if name == "value" else name, value) for name, value in told.items())


def _is_sensitive(name: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(is_sensitive(str(key)) or _is_sensitive(str(key), one) for key, one in value.items())
    if isinstance(value, list):
        return any(_is_sensitive(name, one) for one in value) or is_sensitive_list(name, value)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return is_sensitive_named(name, str(value))
    return False


RowValues = dict[str, Any]
_KIND_BY_MODEL: Mapping[type[models.Model], LineKind] = {kind.model: kind for kind in LINE_KINDS}
BELIEF_MODELS = (Preference, ProfileFact, Tag, TagDetail)
STORED, UNCHANGED, FORGOTTEN, CONFLICT, SENSITIVE = "stored", "unchanged", "forgotten", "conflict", "sensitive"


def read_rows(lines: Sequence[dict[str, Any]], renaming: IdMapping) -> list[RowValues]:
    """Return lines of one table as columns, with the ids that they have here; keys of links stay None."""
    kind = KIND_BY_NAME[lines[0]["type"]]
    return [_map_ids(read_row(kind, line), kind, renaming) for line in lines]


def store_rows(kind: LineKind, subject_id: UUID, rows: Sequence[RowValues], *, allow_forgotten: bool) -> Counter[str]:
    """Store rows of one table in the open scope; return the counts by result."""
    told = len(rows)
    rows = drop_sensitive_rows(kind.model, rows)
    kept = list(rows) if allow_forgotten else _drop_forgotten(kind, subject_id, rows)
    fates = Counter({SENSITIVE: told - len(rows), FORGOTTEN: len(rows) - len(kept)})
    fitting = _drop_missing_keys(kind, subject_id, kept)
    before = find_existing_ids(kind.model, subject_id, [row["id"] for row in fitting])
    new = [row for row in fitting if row["id"] not in before]
    whose = {} if kind.owner else {"subject_id": subject_id}
    objects = [kind.model(**whose, **_complete_columns(kind, row)) for row in new]
    kind.model._default_manager.bulk_create(objects, ignore_conflicts=True, batch_size=500)
    stored = find_existing_ids(kind.model, subject_id, [row["id"] for row in new])
    _restore_times(kind, [one for one in objects if one.pk in stored], {row["id"]: row for row in new})
    fates += Counter({STORED: len(stored), UNCHANGED: len(before)})
    fates[CONFLICT] += len(kept) - len(stored) - len(before)
    return fates


def store_links(lines: Iterable[dict[str, Any]], subject_id: UUID, renaming: IdMapping) -> Counter[str]:
    """Set keys between rows of one table, where both rows exist and the key is not set yet."""
    stored = 0
    for line in lines:
        kind = KIND_BY_NAME[line["of"]]
        wanted = {name: renaming.map_id(UUID(line[name])) for name in kind.later_keys if line.get(name)}
        there = find_existing_ids(kind.model, subject_id, wanted.values())
        row = kind.model._default_manager.filter(subject_id=subject_id, id=renaming.map_id(UUID(line["id"])))
        for name, value in wanted.items():
            if value in there:
                stored += row.filter(**{f"{name}__isnull": True}).update(**{name: value})
    return Counter({f"{LINK_LINE}s": stored})


def find_same_conversations(rows: Sequence[RowValues], subject_id: UUID) -> dict[str, str]:
    names = {row["external_id"]: row["id"] for row in rows}
    held = Conversation.objects.filter(subject_id=subject_id, external_id__in=names).order_by()
    found = held.values_list("external_id", "id")
    return {str(names[name]): str(row_id) for name, row_id in found if row_id != names[name]}


def find_existing_ids(model: type[models.Model], subject_id: UUID, ids: Iterable[UUID]) -> set[UUID]:
    wanted = set(ids)
    if not wanted:
        return set()
    rows = _KIND_BY_MODEL[model].find_rows(subject_id).filter(id__in=wanted).order_by()
    return set(rows.values_list("id", flat=True))


def _map_ids(values: RowValues, kind: LineKind, renaming: IdMapping) -> RowValues:
    own = {"id", *kind.keys, *kind.id_columns}
    renamed = {name: _map_value(value, renaming) if name in own else value for name, value in values.items()}
    if kind.model is Receipt:
        renamed["candidates"] = [
            {**one, "memory_id": renaming.map_text(one.get("memory_id"))} for one in renamed["candidates"]
        ]
    if kind.model is SnapshotVersion:
        renamed["fields"] = _map_image_ids(renamed["fields"], renaming)
    return renamed


def _map_image_ids(fields: Mapping[str, Any], renaming: IdMapping) -> dict[str, Any]:
    renamed = {name: renaming.map_text(value) if name in IDS else value for name, value in fields.items()}
    if isinstance(renamed.get(NOTE), Mapping):
        renamed[NOTE] = _map_image_ids(renamed[NOTE], renaming)
    return renamed


def _map_value(value: Any, renaming: IdMapping) -> Any:
    if isinstance(value, list):
        return [renaming.map_id(one) for one in value]
    return None if value is None else renaming.map_id(value)


def _drop_missing_keys(kind: LineKind, subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    """Return the rows whose keys refer to existing rows; a nullable key without its row becomes None. A row that is
    nothing but keys says nothing without one of them."""
    fitting = [dict(row) for row in rows]
    only_links = kind.keys.keys() == kind.columns.keys()
    for name, model in kind.keys.items():
        there = find_existing_ids(model, subject_id, [row[name] for row in fitting if row[name]])
        if not kind.columns[name].null or only_links:
            fitting = [row for row in fitting if row[name] in there or (row[name] is None and kind.columns[name].null)]
        else:
            for row in fitting:
                row[name] = row[name] if row[name] in there else None
    return fitting


def _complete_columns(kind: LineKind, row: RowValues) -> RowValues:
    if kind.model is Message:
        return {**row, "content_hash": compute_fingerprint(row)}
    if kind.model in BELIEF_MODELS:
        return {**row, "confidence": CEILINGS.cap_confidence(row["confidence"], Provenance(row["provenance"]))}
    if kind.model is Receipt and _shows_documents(row):
        return {**row, "rendered": None}
    if kind.model is Receipt and row.get("rendered") is not None:
        return {**row, "rendered": zlib.compress(orjson.dumps(row["rendered"]))}
    return row


def _shows_documents(row: RowValues) -> bool:
    """Return whether the prompt of a receipt holds words of documents: whether those still stand here is not known."""
    told = row.get("candidates") or ()
    return any(one.get("lane") == DOCUMENTS and one.get("context_position") is not None for one in told)


def compute_fingerprint(row: RowValues) -> bytes:
    """Return the hash that tells a repeated post of this message from another one."""
    return IncomingMessage(
        role=row["role"],
        content=row["content"],
        name=row["name"],
        tool_calls=row["tool_calls"],
        tool_call_id=row["tool_call_id"] or None,
    ).fingerprint()


def _restore_times(kind: LineKind, objects: Sequence[models.Model], rows: Mapping[UUID, RowValues]) -> None:
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


def _drop_forgotten(kind: LineKind, subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    if not has_tombstones(subject_id):
        return list(rows)
    if kind.model in BELIEF_MODELS:
        known = find_forgotten_beliefs(subject_id, [row["id"] for row in rows])
        rows = [row for row in rows if row["id"] not in known]
    sift = _FILTER_BY_MODEL.get(kind.model)
    return list(rows) if sift is None else sift(subject_id, rows)


def _drop_forgotten_preferences(subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    gone = find_forgotten_texts(subject_id, [text for row in rows for text in (row["statement"], str(row["value"]))])
    kept = [row for row in rows if str(row["value"]) not in gone]
    return [{**row, "statement": "" if row["statement"] in gone else row["statement"]} for row in kept]


def _drop_forgotten_versions(subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    gone = find_forgotten_texts(subject_id, [str(row["fields"].get("text", "")) for row in rows])
    return [row for row in rows if str(row["fields"].get("text", "")) not in gone]


def _drop_forgotten_lines(subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    """Return files without the lines that hold forgotten words."""
    sayings = {line: line.strip().lstrip(BULLETS).strip() for row in rows for line in row["text"].split("\n")}
    gone = find_forgotten_texts(subject_id, {saying for saying in sayings.values() if saying})
    return [
        {**row, "text": "\n".join(line for line in row["text"].split("\n") if sayings[line] not in gone)}
        for row in rows
    ]


def _blank_forgotten_contexts(subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    gone = find_forgotten_texts(subject_id, [row["context"] for row in rows])
    return [{**row, "context": "" if row["context"] in gone else row["context"]} for row in rows]


def _drop_forgotten_messages(subject_id: UUID, rows: Sequence[RowValues]) -> list[RowValues]:
    conversations = Conversation.objects.filter(subject_id=subject_id, id__in={row["conversation_id"] for row in rows})
    named = dict(conversations.order_by().values_list("id", "external_id"))
    names = {row["id"]: (named.get(row["conversation_id"], ""), row["external_id"]) for row in rows}
    gone = find_forgotten_messages(subject_id, list(names.values()))
    texts = find_forgotten_texts(subject_id, [row["content"] for row in rows])
    return [row for row in rows if names[row["id"]] not in gone and row["content"] not in texts]


# For each table, a function that removes forgotten things from its rows.
_FILTER_BY_MODEL: Mapping[type[models.Model], Callable[[UUID, Sequence[RowValues]], list[RowValues]]] = {
    Message: _drop_forgotten_messages,
    Preference: _drop_forgotten_preferences,
    SnapshotVersion: _drop_forgotten_versions,
    Note: _blank_forgotten_contexts,
    MemoryFile: _drop_forgotten_lines,
    # What a prompt showed cannot be compared with a tombstone.
    Receipt: lambda _, rows: [{**row, "rendered": None} for row in rows],
}
