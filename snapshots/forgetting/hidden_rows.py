"""Rows that an order hid, packed as JSON: rows of tables as they were, and values of slots to be believed again."""

import zlib
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

import orjson
from django.db import models

from profiles.models import Preference, ProfileFact, Tag
from profiles.services.tags.details import dump_past
from snapshots.forgetting.order_targets import SlotRow
from snapshots.models import (
    SOURCES,
    Note,
    NoteSlot,
    Snapshot,
    SnapshotKind,
    SnapshotSource,
    SnapshotVersion,
    SnapshotWords,
)
from snapshots.notes.slot_links import KEYS

# Workers make these of other memories again, so they are not packed.
REMADE_KINDS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT, SnapshotKind.CONSOLIDATED, SnapshotKind.EPISODE)
PARTS: tuple[type[Any], ...] = (SnapshotWords, SnapshotVersion, SnapshotSource, Note)
TAG_COLUMNS = ("kind", "address", "poi_id", "lat", "lon", "phone", "relation", "aliases")
MESSAGE_COLUMNS = ("name", "content", "parts", "tool_calls", "metadata", "content_hash", "tokens")


def compress_rows(rows: dict[str, Any]) -> bytes:
    return zlib.compress(orjson.dumps(rows, default=str))


def decompress_rows(data: Any) -> dict[str, Any]:
    kept: dict[str, Any] = orjson.loads(zlib.decompress(bytes(data)))
    return kept


def pack_row(row: models.Model, columns: Collection[str] | None = None) -> dict[str, Any]:
    return {
        field.attname: field.value_to_string(row)
        if isinstance(field, models.BinaryField)
        else getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if columns is None or field.name in columns
    }


def unpack_row(model: type[Any], packed_row: dict[str, Any]) -> Any:
    """Return a row that :func:`pack_row` packed, not yet saved."""
    return model(**{name: model._meta.get_field(name).to_python(value) for name, value in packed_row.items()})


def pack_snapshots(subject_id: UUID, ids: Collection[UUID]) -> dict[str, list[dict[str, Any]]]:
    """Return snapshots with their parts, without vectors, which the back-fill makes anew."""
    rows = Snapshot.objects.filter(subject_id=subject_id, id__in=ids).exclude(kind__in=REMADE_KINDS)
    held = list(rows)
    packed = {"Snapshot": [pack_row(row) for row in held]}
    for part in PARTS:
        key = "memory_id__in" if part is SnapshotSource else "snapshot_id__in"
        own = part._default_manager.filter(subject_id=subject_id, **{key: [row.id for row in held]})
        packed[part.__name__] = [pack_row(row) for row in own]
    links = NoteSlot.objects.filter(subject_id=subject_id, snapshot_id__in=[row.id for row in held])
    packed[NoteSlot.__name__] = [pack_row(row) for row in links]
    return packed


def pack_beliefs(rows: Iterable[SlotRow]) -> list[dict[str, Any]]:
    packed = []
    for row in rows:
        links = SOURCES[type(row)]._default_manager.filter(subject_id=row.subject_id, memory_id=row.id).order_by()
        sources = list(links.values_list("message_id", flat=True))
        linked = NoteSlot.objects.filter(**{f"{KEYS[type(row)]}_id": row.id}, subject_id=row.subject_id).order_by()
        notes = list(linked.values_list("snapshot_id", flat=True))
        told = {"id": row.id, "table": type(row).__name__, "sources": sources, "notes": notes}
        packed.append({**told, **_pack_values(row)})
    return packed


def _pack_values(row: SlotRow) -> dict[str, Any]:
    sure = {"provenance": row.provenance, "confidence": row.confidence}
    match row:
        case Preference():
            place = {"category": row.category, "key": row.key, "statement": row.statement}
            return {**sure, **place, "value": row.value, "valid_at": row.valid_at}
        case ProfileFact():
            fact = {"field": row.field, "is_attribute": row.is_attribute}
            return {**sure, **fact, "value": row.value, "valid_at": row.valid_at}
        case Tag():
            about = Note.objects.filter(subject_id=row.subject_id, about_tag_id=row.id).order_by()
            notes = list(about.values_list("id", flat=True))
            details = {name: getattr(row, name) for name in TAG_COLUMNS}
            return {**sure, "label": row.label, "details": details, "past": dump_past(row), "notes": notes}
