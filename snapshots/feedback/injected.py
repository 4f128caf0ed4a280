"""The words of what one receipt injected: as they were sent while that is held, else as they are held now."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from profiles.models import Preference, ProfileFact, Tag
from snapshots.feedback.values import InjectedText
from snapshots.models import Receipt, ReceiptMemory, Snapshot
from snapshots.receipts.read import rendered_of
from snapshots.receipts.values import Rendered

_ELEMENT = re.compile(r"<user_memory(?: [^>]*)?>([^<]*)</user_memory>")


def injected_texts(receipt: Receipt, rows: Sequence[ReceiptMemory]) -> list[InjectedText]:
    """Return the words of each injected memory, in the order of ``rows`` (by position); "" where they are gone."""
    rendered = rendered_of(receipt)
    sent = sent_texts(rendered) if rendered else []
    if len(sent) != len(rows):  # the prompt was purged
        held = held_texts(receipt.subject_id, rows)
        sent = [held.get(row.memory_ref, "") for row in rows]
    return [InjectedText(row.memory_ref, row.lane, text) for row, text in zip(rows, sent, strict=True)]


def sent_texts(rendered: Rendered) -> list[str]:
    """Return the bodies of the memory elements of a prompt in reading order; what users said holds none."""
    system = [str(one.get("content") or "") for one in rendered.messages if one.get("role") == "system"]
    return [html.unescape(body) for body in _ELEMENT.findall("\n".join([*system, rendered.text or ""]))]


def held_texts(subject_id: UUID, rows: Iterable[ReceiptMemory]) -> dict[UUID, str]:
    """Return the present words of memories by id, in the open scope; one query for each lane that has some."""
    by_lane: dict[str, list[UUID]] = {}
    for row in rows:
        by_lane.setdefault(row.lane, []).append(row.memory_ref)
    found: dict[UUID, str] = {}
    for lane, ids in by_lane.items():
        found.update(_READERS[lane](subject_id, ids))
    return found


def _snapshots(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    return dict(Snapshot.objects.filter(subject_id=subject_id, id__in=ids).order_by().values_list("id", "text"))


def _preferences(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = Preference.objects.filter(subject_id=subject_id, id__in=ids)
    return {row.id: f"{row.key}: {_in_words(row.value)}" for row in rows}


def _facts(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    return {row.id: _in_words(row.value) for row in ProfileFact.objects.filter(subject_id=subject_id, id__in=ids)}


def _tags(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = Tag.objects.filter(subject_id=subject_id, id__in=ids)
    return {row.id: f"{row.label}: {', '.join(filter(None, (row.relation, row.address, row.phone)))}" for row in rows}


_READERS = {"snapshots": _snapshots, "preferences": _preferences, "profile": _facts, "tags": _tags}


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_in_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_in_words, value))
    return "" if value is None else str(value)
