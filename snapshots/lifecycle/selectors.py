"""Reading snapshots: lists, single ones, their history, and the messages behind them. Inside an open ``tenant_tx``."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from profiles.models import Preference, Subject
from profiles.selectors import build_subject_key
from snapshots.embedding.snapshot_history import restore_snapshot, versions_of
from snapshots.errors import SnapshotUnknown
from snapshots.lifecycle.write_types import MessageAddress, SnapshotAddress, SnapshotState, SourcedSnapshot
from snapshots.models import CUT_OUT, Message, PreferenceSource, Snapshot, SnapshotSource


@dataclass(frozen=True, slots=True)
class SnapshotFilter:
    """The filters of a list. ``whole`` omits notes and replies, which are parts of messages.

    ``since`` and ``until`` apply to ``said_at``; the text must contain every word. Without ``as_of`` the list has
    current snapshots, with it those true at that moment as known now.
    """

    kind: str | None = None
    whole: bool = False
    topic: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    words: tuple[str, ...] = ()


def find_snapshots(subject: Subject, snapshot_filter: SnapshotFilter) -> QuerySet[Snapshot]:
    rows = Snapshot.objects.filter(
        _build_in_use_condition(), _build_validity_condition(snapshot_filter.as_of), subject_id=subject.id
    ).order_by()
    if snapshot_filter.kind is not None:
        rows = rows.filter(kind=snapshot_filter.kind)
    if snapshot_filter.whole:
        rows = rows.exclude(kind__in=CUT_OUT)
    if snapshot_filter.topic is not None:
        rows = rows.filter(topics__contains=[snapshot_filter.topic])
    if snapshot_filter.since is not None:
        rows = rows.filter(said_at__gte=snapshot_filter.since)
    if snapshot_filter.until is not None:
        rows = rows.filter(said_at__lte=snapshot_filter.until)
    for word in snapshot_filter.words:
        rows = rows.filter(text__icontains=word)
    return rows


def load_snapshot(subject: Subject, snapshot_id: UUID) -> Snapshot:
    """Return one of the subject's snapshots, whatever its state. Raises SnapshotUnknown."""
    return _get_first_snapshot(Snapshot.objects.filter(id=snapshot_id, subject_id=subject.id))


def load_held_snapshot(address: SnapshotAddress) -> Snapshot:
    """Return a snapshot that is held, also one that is no longer true. Raises SnapshotUnknown."""
    return _get_first_snapshot(_find_by_address(address).filter(_build_in_use_condition()))


def load_unexpired_snapshot(address: SnapshotAddress) -> Snapshot:
    """Return a snapshot that is held or was retired, but has not expired. Raises SnapshotUnknown."""
    return _get_first_snapshot(_find_by_address(address).filter(_build_unexpired_condition()))


def load_with_sources(snapshots: Iterable[Snapshot]) -> list[SourcedSnapshot]:
    rows = list(snapshots)
    subjects = {row.subject_id for row in rows}
    sources = load_sources(SnapshotSource.objects.filter(subject_id__in=subjects), [row.id for row in rows])
    return [SourcedSnapshot(row, tuple(sources[row.id])) for row in rows]


def load_sources(links: QuerySet[Any], memories: Collection[UUID]) -> defaultdict[UUID, list[MessageAddress]]:
    """Return the messages behind each memory, in the order in which they were said, in one query."""
    named = links.filter(memory_id__in=memories).order_by("message__said_at", "message__seq")
    columns = ("memory_id", "message__conversation__external_id", "message__external_id")
    sources: defaultdict[UUID, list[MessageAddress]] = defaultdict(list)
    for memory_id, conversation_id, message_id in named.values_list(*columns) if memories else ():
        sources[memory_id].append(MessageAddress(conversation_id, message_id))
    return sources


def load_snapshot_history(snapshot: Snapshot) -> list[SnapshotState]:
    """Return every state that a snapshot was held in, the first one first. One query, in the open scope."""
    images = list(versions_of(snapshot))
    since = images[0].retired_at if images else snapshot.recorded_at
    states = [SnapshotState(snapshot, since, snapshot.retired_at)]
    for image in images:
        earlier = copy(states[-1].snapshot)
        earlier.version = image.version
        restore_snapshot(earlier, image.fields)
        states.append(SnapshotState(earlier, image.recorded_at, image.retired_at))
    return states[::-1]


def build_current_snapshot_condition() -> Q:
    return _build_in_use_condition() & _build_validity_condition(None)


def _find_by_address(address: SnapshotAddress) -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(id=address.snapshot_id, subject_id=build_subject_key(address.subject_id))


def _get_first_snapshot(rows: QuerySet[Snapshot]) -> Snapshot:
    found = rows.first()
    if found is None:
        raise SnapshotUnknown
    return found


def _build_in_use_condition() -> Q:
    return Q(retired_at__isnull=True) & _build_unexpired_condition()


def _build_unexpired_condition() -> Q:
    """An expired row is gone for readers at once; the purge only deletes it."""
    return Q(expires_at__isnull=True) | Q(expires_at__gt=utc_now())


def _build_validity_condition(as_of: datetime | None) -> Q:
    """Return the condition for true snapshots. One that holds from tomorrow is current for a list, but was not true in
    the past."""
    lasting = Q(invalid_at__isnull=True) | Q(invalid_at__gt=as_of or utc_now())
    return lasting if as_of is None else lasting & Q(valid_at__lte=as_of)


class SourceUnknown(Refused):
    """A source names no message of this subject. HTTP 422."""

    code = "source_unknown"


def link_preference_sources(subject: Subject, preference_id: UUID, sources: Sequence[MessageAddress]) -> None:
    """Link messages to a preference; a source without conversation is the newest message of that id. Raises
    SourceUnknown naming ``sources.N``."""
    messages = [_find_message(subject, names, index) for index, names in enumerate(sources)]
    links = [PreferenceSource(subject=subject, memory_id=preference_id, message=message) for message in messages]
    PreferenceSource.objects.bulk_create(links, ignore_conflicts=True)


def load_preference_sources(subject: Subject, preferences: Iterable[Preference]) -> dict[UUID, list[MessageAddress]]:
    ids = {preference.value_id for preference in preferences}
    return load_sources(PreferenceSource.objects.filter(subject_id=subject.id), ids)


def _find_message(subject: Subject, names: MessageAddress, index: int) -> Message:
    rows = Message.objects.filter(subject_id=subject.id, external_id=names.message_id)
    if names.conversation_id:
        rows = rows.filter(conversation__external_id=names.conversation_id)
    found = rows.order_by("-accepted_at", "-id").first()
    if found is None:
        fault = FieldFault(f"sources.{index}", "unknown", "Must be a message of this subject.")
        raise SourceUnknown("A source is not a message of this subject.", faults=[fault])
    return found
