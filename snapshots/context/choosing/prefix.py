"""Which facts a prefix holds where it has no room for all: the newest of what is vital, and slots before habits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from snapshots.context.budget import Piece, Room, Shelf, Slot, take
from snapshots.context.values import MemoryItem

_BEGINNING = datetime.min.replace(tzinfo=UTC)
_CONFIRMED = "confirmed_by_user"


@dataclass(frozen=True, slots=True)
class VitalRoom:
    """How many vital notes stand whatever is asked, and how many tokens of the prefix they take before all others."""

    most: int
    tokens: int


def in_order_of_need(shelf: Shelf, vital: VitalRoom) -> Shelf:
    """Return the shelf of profile facts in the order in which the prefix takes them.

    The newest vital notes within their room, slots, the other vital notes, then limits and habits: those that the user
    confirmed first, the newest first. Of more vital notes than may stand, the oldest compete by the question alone.
    """
    notes = [piece for piece in shelf.pieces if _is_note(piece)]
    standing = sorted((piece for piece in notes if _is_vital(piece)), key=_since, reverse=True)[: vital.most]
    first, _ = take(replace(shelf, pieces=tuple(standing)), Slot(vital.tokens, "never"), Room(free=vital.tokens))
    habits = sorted((piece for piece in notes if not _is_vital(piece)), key=_since, reverse=True)
    habits.sort(key=lambda piece: not _is_confirmed(piece))
    slots = (piece for piece in shelf.pieces if not _is_note(piece))
    return replace(shelf, pieces=(*first, *slots, *_without(standing, first), *habits))


def in_order_of_time(taken: Sequence[Piece], shelf: Shelf) -> tuple[Piece, ...]:
    """Return the pieces that were taken, the vital ones first, both oldest first: a new one stands behind the others.
    Those of one day stand in the order of their shelf."""
    ids = set(map(id, taken))
    held = (piece for piece in shelf.pieces if id(piece) in ids)
    return tuple(sorted(held, key=lambda piece: (not _is_vital(piece), _since(piece).date())))


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
