"""Targets of an order to forget, and the remainders of cut texts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory_platform.kernel.errors import Conflict, NotFound
from profiles.models import Preference, ProfileFact, Tag
from snapshots.understanding.heard.turn_kinds import tells_something

FORGOTTEN = "forgotten"
NOTHING_TO_FORGET = "nothing_to_forget"
# Only the product erases a whole person: DELETE of the subject.
ASKS_FOR_EVERYTHING = "asks_for_everything"

_WHITE = re.compile(r"\s+")
_NOT_WHITE = re.compile(r"\S+")
_LOOSE = " ,;:、"
Span = tuple[int, int]
SlotRow = Preference | ProfileFact | Tag


class ForgetOrderUnknown(NotFound):
    """No order to forget of this subject has this id. HTTP 404."""

    def __init__(self) -> None:
        super().__init__("No order to forget with this id.")


class ForgetOrderDecided(Conflict):
    """The order was undone or erased already. HTTP 409."""

    code = "forget_order_decided"


@dataclass(frozen=True, slots=True)
class ForgetTargets:
    """Rows that an order means. ``messages``: each with the spans to cut, empty to cut all of it; ``notes``: each
    with its remainder, "" if nothing remains."""

    messages: Mapping[UUID, Sequence[Span]] = field(default_factory=dict)
    notes: Mapping[UUID, str] = field(default_factory=dict)
    beliefs: Sequence[SlotRow] = ()

    def __bool__(self) -> bool:
        return bool(self.messages or self.notes or self.beliefs)


def find_note_remainder(rest: str, text: str) -> str:
    """Return the remainder of a note's ``text`` as words of their own; "" where it tells nothing."""
    whole = _WHITE.sub(" ", rest).strip(_LOOSE)
    return whole if whole and whole != text and tells_something(whole) else ""


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return ``text`` with blanks in place of ``spans``, of the same length: all else keeps its place."""
    for start, end in spans:
        text = text[:start] + _NOT_WHITE.sub(lambda match: " " * len(match.group()), text[start:end]) + text[end:]
    return text
