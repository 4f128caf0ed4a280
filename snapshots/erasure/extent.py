"""The extent of forgetting one memory, found before it is done: memories that would go along, and others that stay."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet

from profiles.models import Preference, ProfileFact, Tag
from profiles.provenance_and_verdict import describe_value
from snapshots.erasure.learned.forget_whole_belief import load_erased_belief
from snapshots.erasure.learned.tag_losses import list_column_texts
from snapshots.erasure.learned.unlearn_messages import find_unlearned_rows
from snapshots.erasure.memories import find_target
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import SOURCES, Note, ReceiptMemory, Snapshot, SnapshotSource

# Memories that stay are loaded so far; more are only counted.
MAX_STAYING = 20
# Values of one belief whose words are searched for in other memories, and the characters that make a value telling.
MAX_VALUES = 20
MIN_VALUE_CHARS = 2

Belief = Preference | ProfileFact | Tag


@dataclass(frozen=True, slots=True)
class ErasureExtent:
    """Rows that forgetting concerns. ``snapshots`` and ``beliefs`` go; ``vital`` has the vital class of those snapshots
    that are vital notes.

    ``staying`` are snapshots that contain a belief's value or were made of its messages, at most ``MAX_STAYING`` of
    ``staying_count``. ``messages`` said the memory, and lose their words with a snapshot, but not with a belief;
    ``answers`` lose it from their stored prompts.
    """

    snapshots: Sequence[Snapshot]
    beliefs: Sequence[Belief]
    vital: Mapping[UUID, str]
    staying: Sequence[Snapshot]
    staying_count: int
    messages: int
    answers: int


def measure_extent(memory: Belief | Snapshot) -> ErasureExtent:
    """Return the memories that forgetting would concern, in the open scope. Raises SnapshotUnknown for a memory that is
    gone."""
    return _measure_snapshot(memory) if isinstance(memory, Snapshot) else _measure_belief(memory)


def _measure_snapshot(memory: Snapshot) -> ErasureExtent:
    target = find_target(SnapshotAddress(memory.subject.external_id, memory.id))
    beliefs = find_unlearned_rows(target.subject, target.messages.keys(), target.words)
    vital = _load_vital_classes(memory.subject_id, target.snapshots)
    rows = Snapshot.objects.filter(subject_id=memory.subject_id, id__in=target.snapshots)
    snapshots = sorted(rows, key=lambda row: (row.id not in vital, row.id != memory.id, row.position))
    gone = target.snapshots | {row.id for row in beliefs}
    answers = _count_answers(memory.subject_id, gone)
    return ErasureExtent(snapshots, beliefs, vital, (), 0, len(target.messages), answers)


def _measure_belief(memory: Belief) -> ErasureExtent:
    rows = load_erased_belief(memory).rows
    ids = {row.id for row in rows}
    links = SOURCES[type(memory)]._default_manager.filter(memory_id__in=ids, subject_id=memory.subject_id)
    messages = set(links.order_by().values_list("message_id", flat=True))
    staying = _find_staying_snapshots(memory.subject_id, rows, messages)
    shown = list(staying[:MAX_STAYING])
    count = staying.count() if len(shown) == MAX_STAYING else len(shown)
    values = [row for row in rows if not getattr(row, "version_of_id", None)]
    values.sort(key=lambda row: (row.id != memory.id, row.id))
    vital = _load_vital_classes(memory.subject_id, [row.id for row in shown])
    answers = _count_answers(memory.subject_id, ids)
    return ErasureExtent((), values, vital, shown, count, len(messages), answers)


def _find_staying_snapshots(subject_id: UUID, rows: Sequence[Any], messages: Collection[UUID]) -> QuerySet[Snapshot]:
    """Return the snapshots that were made of these messages or contain a value of the rows, those in use first."""
    own = {"subject_id": subject_id}
    made = SnapshotSource.objects.filter(message_id__in=messages, **own).order_by().values("memory_id")
    says = Q(id__in=made)
    for text in list(dict.fromkeys(text for row in rows for text in _list_value_texts(row)))[:MAX_VALUES]:
        says |= Q(text__icontains=text)
    return Snapshot.objects.filter(says, **own).order_by(F("retired_at").asc(nulls_first=True), "-position")


def _list_value_texts(row: Belief) -> list[str]:
    """Return the words of a value; none of a value that is only yes or no, or so short that many texts contain it."""
    if isinstance(row, Tag):
        texts = [text for text in list_column_texts(vars(row)) if text != row.label]
    elif isinstance(row.value, bool):
        texts = []
    else:
        texts = [describe_value(one) for one in (row.value if isinstance(row.value, list) else [row.value])]
    return [text for text in texts if len(text) >= MIN_VALUE_CHARS]


def _load_vital_classes(subject_id: UUID, snapshots: Collection[UUID]) -> dict[UUID, str]:
    notes = Note.objects.filter(subject_id=subject_id, snapshot_id__in=snapshots).exclude(vital_class="")
    return {note.snapshot_id: note.vital_class for note in notes}


def _count_answers(subject_id: UUID, memories: Collection[UUID]) -> int:
    rows = ReceiptMemory.objects.filter(memory_ref__in=memories, subject_id=subject_id)
    return rows.values("receipt_id").distinct().count()
