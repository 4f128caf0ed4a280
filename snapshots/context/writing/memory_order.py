"""The order in which a model reads its memories."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from snapshots.context.token_budget import CountedPiece
from snapshots.context.values import MemoryOrder

T = TypeVar("T")


def arrange_items(best_first: Sequence[T], order: MemoryOrder) -> list[T]:
    """Return the items in the order of the prompt.

    "u_shape" puts the best first, the second best last, and so on towards the middle, where long prompts are read least
    (Liu et al., "Lost in the Middle", TACL 2024); "relevance_first" keeps the order.
    """
    if order == "relevance_first":
        return list(best_first)
    return [*best_first[0::2], *reversed(best_first[1::2])]


def arrange_by_frame(best_first: Sequence[CountedPiece], order: MemoryOrder, depth: int = 0) -> list[CountedPiece]:
    """Return pieces in ``order`` at each level: elements by their best line, then days, then lines. Undated pieces
    precede the days of their element."""
    framed = [piece for piece in best_first if len(piece.frames) > depth]
    bare = [piece for piece in best_first if len(piece.frames) <= depth]
    if depth:
        return [*arrange_items(bare, order), *_arrange_groups(framed, order, depth)]
    return _arrange_groups(best_first, order, depth)


def sort_within_days(placed: Iterable[CountedPiece]) -> tuple[CountedPiece, ...]:
    """Return pieces with the lines under one date in the order in which they were said."""
    days = groupby(placed, key=lambda piece: piece.frames or id(piece))
    return tuple(piece for _, day in days for piece in sorted(day, key=lambda piece: piece.since))


def _arrange_groups(best_first: Sequence[CountedPiece], order: MemoryOrder, depth: int) -> list[CountedPiece]:
    groups: dict[Hashable, list[CountedPiece]] = {}
    for piece in best_first:
        key: Hashable = piece.frames[: depth + 1] if len(piece.frames) > depth else id(piece)
        groups.setdefault(key, []).append(piece)
    placed: list[CountedPiece] = []
    for group in arrange_items(list(groups.values()), order):
        placed += arrange_by_frame(group, order, depth + 1) if len(group) > 1 else group
    return placed
