"""Values that are read and written of a thread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_platform.kernel.errors import Conflict


class ThreadDeleted(Conflict):
    """The write belongs to a deleted thread. HTTP 409."""

    code = "thread_deleted"

    def __init__(self) -> None:
        super().__init__("This thread was deleted, and what is saved here belongs to what it held. Begin a new run.")


class ThreadOfAnother(Conflict):
    """The thread is about another subject. HTTP 409."""

    code = "thread_of_another_subject"

    def __init__(self) -> None:
        super().__init__("This thread is about another subject. A thread keeps the subject that it was begun with.")


@dataclass(frozen=True, slots=True)
class PackedValue:
    """A serialised value and the name of its format; the platform reads neither."""

    format: str
    value: bytes


EMPTY = "empty"
"""The format of a channel that has a version and no value."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a checkpoint is, by the product's ids; the root namespace is empty."""

    thread_id: str
    namespace: str = ""
    checkpoint_id: str = ""


@dataclass(frozen=True, slots=True)
class CheckpointToStore:
    """A checkpoint with those values of channels that are new. ``new_versions`` has a version for each of them."""

    place: Place
    parent_id: str
    body: PackedValue
    versions: Mapping[str, Any]
    metadata: Mapping[str, Any]
    new_versions: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, PackedValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WriteToStore:
    place: int
    channel: str
    packed: PackedValue


@dataclass(frozen=True, slots=True)
class StoredWrite:
    task_id: str
    channel: str
    packed: PackedValue


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint as it is read. ``values`` has the version of each value, by which a page sends it once."""

    place: Place
    parent_id: str
    body: PackedValue
    versions: Mapping[str, Any]
    metadata: Mapping[str, Any]
    values: Sequence[tuple[str, str, PackedValue]]
    writes: Sequence[StoredWrite]


@dataclass(frozen=True, slots=True)
class ListingFilter:
    """Which checkpoints are listed; None in ``thread_id`` or ``namespace`` is any. ``equal``: members of metadata."""

    thread_id: str | None = None
    namespace: str | None = None
    checkpoint_id: str = ""
    before: str = ""
    equal: Mapping[str, Any] = field(default_factory=dict)
