"""Change the relevance of a memory and its explanation together, so that the parts still multiply out."""

from dataclasses import replace
from typing import Literal

from snapshots.context.values import MemoryItem
from snapshots.recall.ranking.memory_relevance import PART_DIGITS
from snapshots.recall.values import Explanation

_LEAST = 1e-9
# The explanation of a memory that recall did not find: neither lane, no score, no factor.
_UNFOUND = Explanation(None, 0.0, "own", None, 0.0, "own", 0.0, 0.0, 0.0, 0.0, 0.0, None, 1.0, 1.0, 1.0, 1.0)

Raise = Literal["as_older", "as_slot"]


def shorten_message(item: MemoryItem, text: str) -> MemoryItem:
    """Return a message cut to ``text``: as relevant as its share of the message."""
    share = len(text) / len(item.text)
    why = item.explain
    shown = why and why._replace(share=round(share, PART_DIGITS), semantic=share * why.semantic)
    return replace(item, text=text, relevance=share * item.relevance, score=share * item.score, explain=shown)


def raise_relevance(
    item: MemoryItem, relevance: float, score: float, part: Raise, by: Explanation | None
) -> MemoryItem:
    """Return a note with another relevance and score, which ``part`` names; ``by`` explains the memory that lends it. A
    note that recall did not find has no other explanation."""
    why = item.explain or (by and _UNFOUND._replace(need=by.need, named=by.named))
    if why is None:
        return replace(item, relevance=relevance, score=score)
    why = why._replace(semantic=score / max(why.factors.product, _LEAST))
    if relevance != item.relevance:
        helps = round(relevance / max(why.need or 0.0, _LEAST), PART_DIGITS)
        why = why._replace(as_older=helps) if part == "as_older" else why._replace(as_slot=helps)
    return replace(item, relevance=relevance, score=score, explain=why)
