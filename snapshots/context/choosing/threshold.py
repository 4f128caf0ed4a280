"""Cut off memories below the threshold of relevance, unless the memory is small or the question asks for all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memory_platform.kernel.text_cache import ByText
from snapshots.context.budget import Piece, Shelf, tokens_of
from snapshots.context.choosing.shelves import Refused
from snapshots.context.policy import DEFAULT_CONTEXT
from snapshots.context.values import Material, MemoryItem, Reason
from snapshots.understanding.heard.turns import tells_something

SLOTS = frozenset({"profile", "preferences", "tags"})


class Abstained(StrEnum):
    """Why a context brings no memory of this turn; the values are public (``abstained.reason``)."""

    UNKNOWN_SUBJECT = "unknown_subject"
    NOTHING_REMEMBERED = "nothing_remembered"
    NOTHING_RELEVANT = "nothing_relevant"
    # The relevant memories stand elsewhere in the context, did not fit, or may not go in.
    NOTHING_MORE = "nothing_more"


@dataclass(frozen=True, slots=True)
class Threshold:
    """From which relevance on a memory helps, and from which on it fills the room left; ``strict``: none fills.

    ``need``: how probably a question must need memory to get any, ``sure``: to get what only fills. ``whole``: the
    question asks for all that is remembered.
    """

    least: float
    filling: float = 0.0
    strict: bool = False
    need: float = 0.0
    sure: float = 0.0
    whole: bool = False

    def of(self, needs: float) -> "Threshold":
        """Return the threshold for a question with this need of memory: strict where it is not sure."""
        return replace(self, strict=self.strict or needs < self.sure)


@dataclass(frozen=True, slots=True)
class Passed:
    """What is left of a shelf, what was refused, and whether it holds a whole small memory, oldest first."""

    shelf: Shelf
    refused: Refused
    is_whole: bool = False


def passes_any(offered: Sequence[MemoryItem], threshold: Threshold, needs: float = 1.0) -> bool:
    """Return whether a recalled memory helps a question with this need of memory."""
    near = threshold.whole or any(_is_near(item, threshold) for item in offered)
    return bool(offered) and near and needs >= threshold.need


def abstain_from(taken: Sequence[Piece], material: Material, *, passes: bool) -> Abstained | None:
    """Return why none was ``taken`` as a memory of this turn; None where one was. ``passes``: one helps."""
    if taken:
        return None
    if passes:
        return Abstained.NOTHING_MORE
    is_held = material.held_back or material.memories
    return Abstained.NOTHING_RELEVANT if is_held else Abstained.NOTHING_REMEMBERED


def cut_off(shelf: Shelf, threshold: Threshold, room: int, *, abstains: bool, vital_first: bool = False) -> Passed:
    """Return the memories of a shelf that may go in, in the order in which they are taken.

    Where one passes, others follow while there is room: all notes, then messages that tell something, then slots, which
    notes mostly repeat; with ``vital_first`` vital ones come first. Where ``room`` (tokens) holds all notes, these come
    first, oldest first.
    """
    pieces = () if abstains else shelf.pieces
    kept = [piece for piece in pieces if _is_near(piece.memory, threshold) or _fills(piece, threshold)]
    kept.sort(key=lambda piece: _place_of(piece, threshold, vital_first=vital_first))
    first = [piece for piece in kept if _is_near(piece.memory, threshold) or _is_note(piece)]
    opening = shelf.opening.tokens if shelf.opening else 0
    fits = threshold.whole or tokens_of(first) + opening <= room
    notes = sum(map(_is_note, first))
    is_whole = notes > 0 and notes == sum(map(_is_note, shelf.pieces)) and fits
    if is_whole:
        kept = [*sorted(first, key=lambda piece: piece.since), *(piece for piece in kept if piece not in first)]
    held = set(map(id, kept))
    refused = [(piece, _reason_against(piece, threshold)) for piece in shelf.pieces if id(piece) not in held]
    return Passed(replace(shelf, pieces=tuple(kept)), refused, is_whole)


def _is_near(item: MemoryItem | None, threshold: Threshold) -> bool:
    return item is not None and item.relevance >= max(threshold.least, item.least)


def _place_of(piece: Piece, threshold: Threshold, *, vital_first: bool) -> int:
    """Return in which group a memory is taken, 0 first; in each group the best first."""
    if _is_near(piece.memory, threshold):
        return 0
    if piece.memory is None or piece.memory.lane not in SLOTS:
        return 1 if vital_first and not (piece.memory and piece.memory.vital) else 0
    return 2


def _fills(piece: Piece, threshold: Threshold) -> bool:
    """Return whether a memory that does not help may fill the room left: a message only where it tells something."""
    item = piece.memory
    if threshold.strict or item is None:
        return False
    is_near = item.relevance >= threshold.filling
    return item.kind == "note" or (is_near and (item.kind != "statement" or TELLS(item.text)))


def may_tell(text: str) -> bool:
    """Return whether a message may tell something: no question or wish, or so long that it says more than that."""
    is_long = len(_WORD.findall(text)) >= DEFAULT_CONTEXT.long_message and not text.rstrip().endswith(("?", "\uff1f"))
    return is_long or tells_something(text)


# A word, or two Chinese characters.
_WORD = re.compile(r"[A-Za-z0-9'\u2019]+|[\u3400-\u9fff]{2}")
TELLS = ByText(may_tell, DEFAULT_CONTEXT.texts_remembered)


def _reason_against(piece: Piece, threshold: Threshold) -> Reason:
    """Return why a memory is refused; a relevant one only where the question needs no memory."""
    return Reason.NOT_NEEDED if _is_near(piece.memory, threshold) else Reason.BELOW_FLOOR


def _is_note(piece: Piece) -> bool:
    return piece.memory is not None and piece.memory.kind == "note"
