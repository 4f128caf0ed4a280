"""Input and output values of notes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from memory_platform.kernel.errors import FieldFault, Refused
from profiles.models import Tag
from profiles.provenance_and_verdict import Provenance, Verdict
from snapshots.embedding.snapshot_drafts import PreparedSnapshot
from snapshots.lifecycle.write_types import MessageAddress
from snapshots.models import AboutKind, Note, NoteGrade, Snapshot, VitalClass


class VitalInstruction(Refused):
    """A vital note must not give orders to the model, nor contain a link. HTTP 422."""

    code = "instruction"

    def __init__(self) -> None:
        message = "A note that gives orders to the model, or holds a link, cannot be vital."
        super().__init__(message, faults=[FieldFault("text", "instruction", message)])


class AboutUnknown(Refused):
    """A note names an unknown contact. HTTP 422."""

    code = "about_unknown"

    def __init__(self) -> None:
        message = "`about.id` must be the id of one of this subject's tags; GET .../tags lists them."
        super().__init__(message, faults=[FieldFault("about.id", "unknown", message)])


# Returns the vital class of words for every context. Raises VitalInstruction.
Suggest = Callable[[str], str]

# Returns which of some notes, by id and text, the newest first, some words only repeat.
FindRepeated = Callable[[str, Iterable[tuple[UUID, str]]], UUID | None]

# Returns the grade of words. Embeds: no transaction may be open.
ReadGrade = Callable[[str], NoteGrade]


@dataclass(frozen=True, slots=True)
class NoteDetails:
    """The columns of :class:`snapshots.models.Note` beside its snapshot, with the same meaning of ``""`` and None."""

    grade: str = NoteGrade.FACT
    grade_probability: float = 1.0
    about_kind: str = AboutKind.SELF
    about_label: str = ""
    relation: str = ""
    about_tag_id: UUID | None = None
    vital_class: str = ""
    possibly_outdated: bool = False
    review_by: datetime | None = None
    context: str = ""
    span_start: int | None = None
    span_end: int | None = None
    reader_version: str = ""
    statement_id: UUID | None = None

    def columns(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PreparedNote:
    """A note to be stored: its snapshot of kind ``note``, indexed and embedded, and its details."""

    snapshot: PreparedSnapshot
    details: NoteDetails


@dataclass(frozen=True, slots=True)
class NoteRepeat:
    """A repeat of an existing note. ``note_id`` is its snapshot's id; ``message_id`` None is no message. ``confidence``
    and ``provenance`` are those that the repeat would have as a note of its own."""

    note_id: UUID
    message_id: UUID | None
    confidence: float
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class NoteAbout:
    """The person or thing that a note is about, as a writer names it. ``tag_id`` is one of the subject's tags."""

    kind: str = AboutKind.SELF
    tag_id: UUID | None = None
    label: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class NewNote:
    """A posted note. None is not given."""

    text: str
    grade: str | None = None
    about: NoteAbout | None = None
    vital: bool | None = None
    vital_class: str | None = None
    confidence: float | None = None
    provenance: str | None = None
    said_at: datetime | None = None
    review_by: datetime | None = None
    allow_forgotten: bool = False


@dataclass(frozen=True, slots=True)
class NoteOffer:
    """A posted note prepared outside of any transaction. ``stated_columns`` are the columns that its writer set."""

    snapshot: PreparedSnapshot
    details: NoteDetails
    about: NoteAbout | None
    stated_columns: Mapping[str, Any] = field(default_factory=dict)
    allow_forgotten: bool = False


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """The place of a slot: ``preference`` (category, key), ``profile`` (the field as key) or ``tag`` (its label)."""

    kind: Literal["preference", "profile", "tag"]
    category: str | None
    key: str


@dataclass(frozen=True, slots=True)
class SourcedNote:
    """A note with its snapshot, its source messages in order, its contact's tag, and the slots that were read from its
    words."""

    note: Note
    snapshot: Snapshot
    sources: tuple[MessageAddress, ...] = ()
    tag: Tag | None = None
    slots: tuple[SlotPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteState:
    """A note's state from ``recorded_at`` until ``retired_at`` (None: now)."""

    sourced: SourcedNote
    recorded_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note after a write, and the verdict."""

    verdict: Verdict
    sourced: SourcedNote


def choose_vital_class(
    vital: bool | None, vital_class: str | None, suggest: Callable[[], str], *, current_class: str = ""
) -> str | None:
    """Return the requested vital class: ``""`` is not vital, None is no change from ``current_class``. The default is
    the class that ``suggest`` finds in the note's words, else ``safety``. Raises its errors."""
    if vital is False or vital_class == "":
        return ""
    if not vital and not vital_class:
        return None
    suggested = suggest()
    return vital_class or (None if current_class else suggested or VitalClass.SAFETY)
