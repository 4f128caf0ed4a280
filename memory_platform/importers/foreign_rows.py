"""Rows that the readers of other systems' files yield, and their verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal

RowVerdictName = Literal["stored", "unchanged", "refused"]
STORED: RowVerdictName = "stored"
UNCHANGED: RowVerdictName = "unchanged"
REFUSED: RowVerdictName = "refused"


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Options for all that a file does not tell.

    ``subject_id``: the subject of all rows, also of those that name one. ``zone``: where times without a zone are.
    ``default_time``: the time of rows without one. ``encoding``: of the file's text.
    """

    subject_id: str | None = None
    zone: tzinfo = UTC
    default_time: datetime | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """A text that another system kept as memory, word for word.

    ``place`` is where it stands in the file, ``key`` the other system's id of it. ``said_at`` None is not told.
    """

    place: str
    subject_id: str
    key: str
    text: str
    said_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expires_at: datetime | None = None
    category: str = ""
    topics: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """A message that somebody said; ``fields`` are those of a message of the API, unchecked."""

    place: str
    subject_id: str
    conversation_id: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ForeignPreference:
    """A value of a preference, and when it was set."""

    place: str
    subject_id: str
    category: str
    key: str
    value: str
    said_at: datetime
    statement: str = ""


class UnusableRow(Exception):
    """A row that cannot be taken over: a code, and a sentence that says why and what to do, never the row's words."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


@dataclass(frozen=True, slots=True)
class RowFault:
    """An unusable row at its place in the file."""

    place: str
    reason: str
    message: str


ForeignRow = ForeignMemory | ForeignMessage | ForeignPreference | RowFault


@dataclass(frozen=True, slots=True)
class RowVerdict:
    """The verdict for one row. ``kind`` is memory, message or preference, "" for a row that could not be read."""

    place: str
    verdict: RowVerdictName
    kind: str = ""
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class FilePiece:
    """A piece of a file: its place, its content, and the name of the list that it stands in."""

    place: str
    content: Any
    list_name: str = ""
