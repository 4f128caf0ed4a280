"""Cut off memories below the threshold of relevance, unless the memory is small or the question asks for all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memory_platform.kernel.caches import TextCache
from snapshots.context.choosing.section_candidates import Refused
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.token_budget import CountedPiece, SectionShelf, count_tokens
from snapshots.context.values import ContextMaterial, DecisionReason, MemoryItem
from snapshots.understanding.heard.turn_kinds import tells_something

SLOTS = frozenset({"profile", "preferences", "tags"})


class AbstainReason(StrEnum):
    """Why a context brings no memory of this turn; the values are public (``abstained.reason``)."""

    UNKNOWN_SUBJECT = "unknown_subject"
    NOTHING_REMEMBERED = "nothing_remembered"
    NOTHING_RELEVANT = "nothing_relevant"
    # The relevant memories stand elsewhere in the context, did not fit, or may not go in.
    NOTHING_MORE = "nothing_more"


@dataclass(frozen=True, slots=True)
class RelevanceThreshold:
    """Least relevance of a memory that helps; ``strict``: no other fills the room left.

    ``need``: how probably a question must need memory to get any, ``sure``: to get fillers too. ``whole``: the question
    asks for all memories.
    """

    least: float
    strict: bool = False
    need: float = 0.0
    sure: float = 0.0
    whole: bool = False

    def for_need(self, needs: float) -> "RelevanceThreshold":
        """Return the threshold for a question with this need of memory: strict where it is not sure."""
        return replace(self, strict=self.strict or needs < self.sure)


@dataclass(frozen=True, slots=True)
class PassedShelf:
    """The rest of a shelf, the refused pieces, and whether it holds a whole small memory, oldest first."""

    shelf: SectionShelf
    refused: Refused
    is_whole: bool = False


def is_any_relevant(memories: Sequence[MemoryItem], threshold: RelevanceThreshold, needs: float = 1.0) -> bool:
    near = threshold.whole or any(_is_relevant(item, threshold) for item in memories)
    return bool(memories) and near and needs >= threshold.need


def find_abstain_reason(
    pieces: Sequence[CountedPiece], material: ContextMaterial, *, passes: bool
) -> AbstainReason | None:
    """Return why no memory was chosen for this turn; None if ``pieces`` holds any. ``passes``: at least one helps."""
    if pieces:
        return None
    if passes:
        return AbstainReason.NOTHING_MORE
    is_held = material.held_back or material.memories
    return AbstainReason.NOTHING_RELEVANT if is_held else AbstainReason.NOTHING_REMEMBERED


def cut_off_irrelevant(
    shelf: SectionShelf, threshold: RelevanceThreshold, room: int, *, abstains: bool, vital_first: bool = False
) -> PassedShelf:
    """Return the memories of a shelf that may go in, in the order in which they are taken.

    Where one passes, others follow while there is room: all notes, then messages that tell something, then slots, which
    notes mostly repeat; with ``vital_first`` vital ones come first. Where ``room`` (tokens) holds all notes, these come
    first, oldest first.
    """
    pieces = () if abstains else shelf.pieces
    kept = [
        piece for piece in pieces if _is_relevant(piece.source_memory, threshold) or _may_fill_room(piece, threshold)
    ]
    kept.sort(key=lambda piece: _rank_group(piece, threshold, vital_first=vital_first))
    first = [piece for piece in kept if _is_relevant(piece.source_memory, threshold) or _is_note(piece)]
    opening = shelf.opening.tokens if shelf.opening else 0
    fits = threshold.whole or count_tokens(first) + opening <= room
    notes = sum(map(_is_note, first))
    is_whole = notes > 0 and notes == sum(map(_is_note, shelf.pieces)) and fits
    if is_whole:
        kept = [*sorted(first, key=lambda piece: piece.since), *(piece for piece in kept if piece not in first)]
    held = set(map(id, kept))
    refused = [(piece, _find_refusal(piece, threshold)) for piece in shelf.pieces if id(piece) not in held]
    return PassedShelf(replace(shelf, pieces=tuple(kept)), refused, is_whole)


def _is_relevant(item: MemoryItem | None, threshold: RelevanceThreshold) -> bool:
    return item is not None and item.relevance >= max(threshold.least, item.least)


def _rank_group(piece: CountedPiece, threshold: RelevanceThreshold, *, vital_first: bool) -> int:
    """Return in which group a memory is taken, 0 first; in each group the best first."""
    if _is_relevant(piece.source_memory, threshold):
        return 0
    if piece.source_memory is None or piece.source_memory.lane not in SLOTS:
        return 1 if vital_first and not (piece.source_memory and piece.source_memory.vital) else 0
    return 2


def _may_fill_room(piece: CountedPiece, threshold: RelevanceThreshold) -> bool:
    """Return whether a memory that does not help may fill the room left: a message only where it tells something."""
    item = piece.source_memory
    if threshold.strict or item is None:
        return False
    return item.kind != "statement" or TELLS(item.text)


def may_tell(text: str) -> bool:
    """Return whether a message may tell something: no question or wish, or so long that it says more than that."""
    is_long = len(_WORD.findall(text)) >= DEFAULT_CONTEXT.long_message and not text.rstrip().endswith(("?", "\uff1f"))
    return is_long or tells_something(text)


# A word, or two Chinese characters.
_WORD = re.compile(r"[A-Za-z0-9'\u2019]+|[\u3400-\u9fff]{2}")
TELLS = TextCache(may_tell, DEFAULT_CONTEXT.texts_remembered)


def _find_refusal(piece: CountedPiece, threshold: RelevanceThreshold) -> DecisionReason:
    return DecisionReason.NOT_NEEDED if _is_relevant(piece.source_memory, threshold) else DecisionReason.BELOW_FLOOR


def _is_note(piece: CountedPiece) -> bool:
    return piece.source_memory is not None and piece.source_memory.kind == "note"
