"""Which facts a prefix holds where it has no room for all: the newest of what is vital, and slots before habits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from snapshots.context.budget import Piece, Room, Shelf, Slot, take
from snapshots.context.choosing.dedupe import fold_words
from snapshots.context.choosing.shelves import Refused
from snapshots.context.values import MemoryItem, Reason

_BEGINNING = datetime.min.replace(tzinfo=UTC)
_CONFIRMED = "confirmed_by_user"


@dataclass(frozen=True, slots=True)
class VitalRoom:
    """How many vital notes stand whatever is asked, and how many tokens of the prefix they take before all others.

    ``only_whole``: where they do not all fit, nothing stands, and they compete by the question.
    """

    most: int
    tokens: int
    only_whole: bool = False


def in_order_of_need(shelf: Shelf, vital: VitalRoom) -> tuple[Shelf, Refused]:
    """Return the shelf of profile facts in the order in which the prefix takes them, and what vital notes say already
    ("allergies: peanuts" beside "I am allergic to peanuts").

    The newest vital notes within their room, slots, the other vital notes, then limits and habits: those that the user
    confirmed first, the newest first. Of more vital notes than may stand, the oldest compete by the question alone.
    """
    notes = [piece for piece in shelf.pieces if _is_note(piece)]
    standing = sorted((piece for piece in notes if _is_vital(piece)), key=_since, reverse=True)[: vital.most]
    first, _ = take(replace(shelf, pieces=tuple(standing)), Slot(vital.tokens, "never"), Room(free=vital.tokens))
    habits = sorted((piece for piece in notes if not _is_vital(piece)), key=_since, reverse=True)
    habits.sort(key=lambda piece: not _is_confirmed(piece))
    slots = [piece for piece in shelf.pieces if not _is_note(piece)]
    if vital.only_whole and len(first) < len(standing):
        return replace(shelf, pieces=()), []
    said = [fold_words(piece.origin.text) for piece in first if isinstance(piece.origin, MemoryItem)]
    repeats = [piece for piece in slots if _is_named_in(said, piece)]
    ordered = (*first, *_without(slots, repeats), *_without(standing, first), *habits)
    return replace(shelf, pieces=ordered), [(piece, Reason.DUPLICATE_OF_PROFILE) for piece in repeats]


def in_order_of_time(taken: Sequence[Piece], shelf: Shelf) -> tuple[Piece, ...]:
    """Return the pieces that were taken, the vital ones first, both oldest first: a new one stands behind the others.
    Those of one day stand in the order of their shelf."""
    ids = set(map(id, taken))
    held = (piece for piece in shelf.pieces if id(piece) in ids)
    return tuple(sorted(held, key=lambda piece: (not _is_vital(piece), _since(piece).date())))


def _is_named_in(notes: Sequence[str], slot: Piece) -> bool:
    """Return whether notes name each entry of the value of a preference."""
    item = slot.origin
    if not isinstance(item, MemoryItem) or item.lane != "preferences":
        return False
    entries = [one.strip() for one in fold_words(item.text.partition(": ")[2]).split(",")]
    return all(len(one) > 1 and any(one in note for note in notes) for one in entries)


def _without(pieces: Iterable[Piece], left: Iterable[Piece]) -> list[Piece]:
    ids = set(map(id, left))
    return [piece for piece in pieces if id(piece) not in ids]


def _is_note(piece: Piece) -> bool:
    return isinstance(piece.origin, MemoryItem) and piece.origin.lane == "snapshots"


def _is_vital(piece: Piece) -> bool:
    return isinstance(piece.origin, MemoryItem) and piece.origin.vital


def _is_confirmed(piece: Piece) -> bool:
    return isinstance(piece.origin, MemoryItem) and piece.origin.provenance == _CONFIRMED


def _since(piece: Piece) -> datetime:
    return (piece.origin.valid_since if isinstance(piece.origin, MemoryItem) else None) or _BEGINNING
