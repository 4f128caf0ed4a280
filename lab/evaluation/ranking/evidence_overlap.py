"""Is an evidence turn in a text? Counted by its words, so that it does not matter how the text came about.

A text's units are its lower-cased words and single Chinese characters, its pieces are runs of three units. A turn is
present when at least 60 % of its pieces occur; a turn of fewer than three units when all its units do.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.evaluation.config import COUNTING

# One unit, or ``COUNTING.shingle`` of them in a row.
Shingle = tuple[str, ...]

_UNIT = re.compile(r"[\u3400-\u9fff]|[a-z0-9]+(?:'[a-z]+)?")
_FIRST_HAN, _LAST_HAN = "\u3400", "\u9fff"


@dataclass(frozen=True, slots=True)
class EvidenceNeed:
    """An evidence turn is present when at least ``share`` of its ``pieces`` occur."""

    pieces: tuple[Shingle, ...]
    share: float

    def is_met(self, occurring: int) -> bool:
        """Return whether the turn is present when ``occurring`` of its pieces are; a turn without words always is."""
        return not self.pieces or occurring / len(self.pieces) >= self.share


def split_into_units(text: str) -> list[str]:
    """Return the lower-cased words and the single Chinese characters of ``text``, in order."""
    return _UNIT.findall(text.lower().replace("\u2019", "'"))


def estimate_tokens(text: str) -> int:
    """Return 1.3 tokens per word and 1 per Chinese character, rounded up: a rule that no tokenizer has to share."""
    found = split_into_units(text)
    characters = sum(_FIRST_HAN <= unit[0] <= _LAST_HAN for unit in found)
    words = len(found) - characters
    return math.ceil(words * COUNTING.tokens_per_word + characters * COUNTING.tokens_per_character)


def list_pieces(text: str) -> frozenset[Shingle]:
    """Return everything that an evidence turn could want of ``text``: its units and its runs of three."""
    found = split_into_units(text)
    return frozenset(_list_shingles(found)) | frozenset((unit,) for unit in found)


def build_evidence_need(evidence: str) -> EvidenceNeed:
    """Return the pieces an answer needs to contain this turn."""
    found = split_into_units(evidence)
    if len(found) < COUNTING.shingle:
        return EvidenceNeed(tuple(dict.fromkeys((unit,) for unit in found)), 1.0)
    return EvidenceNeed(tuple(dict.fromkeys(_list_shingles(found))), COUNTING.share)


def _list_shingles(words: Sequence[str]) -> list[Shingle]:
    size = COUNTING.shingle
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
