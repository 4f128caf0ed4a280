"""In which order a model reads its memories (X3)."""

from collections.abc import Sequence
from typing import TypeVar

from snapshots.context.values import Order

T = TypeVar("T")


def arranged(best_first: Sequence[T], order: Order) -> list[T]:
    """Return the items as they shall stand in the prompt.

    "u_shape" puts the best first, the second best last, and so on towards the middle, where long prompts are read
    least (Liu et al., "Lost in the Middle", TACL 2024); "relevance_first" keeps the order.
    """
    if order == "relevance_first":
        return list(best_first)
    return [*best_first[0::2], *reversed(best_first[1::2])]
