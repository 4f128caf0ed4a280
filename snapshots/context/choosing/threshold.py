"""Which memories help a question at all (B4, B5): from a threshold on, and of a small memory every note."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from snapshots.context.budget import Piece, Shelf, tokens_of
from snapshots.context.choosing.shelves import Refused
from snapshots.context.values import MemoryItem, Reason

_BEGINNING = datetime.min.replace(tzinfo=UTC)


class Abstained(StrEnum):
    """Why a context brings no memory of this turn; the values are public (``abstained.reason``)."""

    UNKNOWN_SUBJECT = "unknown_subject"
    NOTHING_REMEMBERED = "nothing_remembered"
    NOTHING_RELEVANT = "nothing_relevant"


@dataclass(frozen=True, slots=True)
class Threshold:
    """From which relevance on a memory helps, and from which on it fills what room is left; ``strict``: none does.

    ``need``: how probably a question must need memory to be given any, and ``sure`` to be given what only fills.
    """

    least: float
    filling: float = 0.0
    strict: bool = False
    need: float = 0.0
    sure: float = 0.0

    def of(self, needs: float) -> "Threshold":
        """Return the threshold for a question that ``needs`` memory so probably: strict where that is not sure."""
        return replace(self, strict=self.strict or needs < self.sure)


@dataclass(frozen=True, slots=True)
class Passed:
    """What is left of a shelf, what was refused, and whether it holds a whole small memory, oldest first."""

    shelf: Shelf
    refused: Refused
    is_whole: bool = False


def abstain_from(offered: Sequence[MemoryItem], threshold: Threshold, needs: float = 1.0) -> Abstained | None:
    """Return why none of the memories that recall found for a turn goes in; None where one passes.

    ``needs``: how probably the question needs memory.
    """
    if not offered:
        return Abstained.NOTHING_REMEMBERED
    passes = needs >= threshold.need and any(item.relevance >= threshold.least for item in offered)
    return None if passes else Abstained.NOTHING_RELEVANT


def cut_off(shelf: Shelf, threshold: Threshold, room: int, *, abstains: bool) -> Passed:
    """Return what of a shelf of memories may go in, the first to be taken first.

    Where one passes, others follow while there is room: all notes, and what else is not quite beside the question.
    Where ``room`` (tokens) holds all notes with what passes, these come first, the oldest first.
    """
    kept = [] if abstains else [piece for piece in shelf.pieces if _may_enter(piece, threshold)]
    held = set(map(id, kept))
    refused = [(piece, _reason_against(piece, threshold)) for piece in shelf.pieces if id(piece) not in held]
    first = [piece for piece in kept if _is_note(piece) or _relevance(piece) >= threshold.least]
    opening = shelf.opening.tokens if shelf.opening else 0
    is_whole = not threshold.strict and any(map(_is_note, first)) and tokens_of(first) + opening <= room
    if is_whole:
        kept = [*sorted(first, key=_since), *(piece for piece in kept if piece not in first)]
    return Passed(replace(shelf, pieces=tuple(kept)), refused, is_whole)


def _may_enter(piece: Piece, threshold: Threshold) -> bool:
    if threshold.strict:
        return _relevance(piece) >= threshold.least
    return _is_note(piece) or _relevance(piece) >= threshold.filling


def _reason_against(piece: Piece, threshold: Threshold) -> Reason:
    """Return why a refused memory is: what is relevant enough is refused only where the question needs no memory."""
    return Reason.NOT_NEEDED if _relevance(piece) >= threshold.least else Reason.BELOW_FLOOR


def _relevance(piece: Piece) -> float:
    return piece.origin.relevance if isinstance(piece.origin, MemoryItem) else 0.0


def _is_note(piece: Piece) -> bool:
    return isinstance(piece.origin, MemoryItem) and piece.origin.kind == "note"


def _since(piece: Piece) -> datetime:
    held = piece.origin.valid_since if isinstance(piece.origin, MemoryItem) else None
    return held or _BEGINNING
