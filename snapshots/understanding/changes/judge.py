"""Whether a sentence ends held notes, makes them doubtful or only speaks of the same: a regression over :mod:`pairs`,
and what it must not decide.

It was taught by ``python -m tests.golden.teach_changes``; ``changes.json`` holds the weights and what taught them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32, LinearReader
from snapshots.understanding.changes.facts import says_more
from snapshots.understanding.changes.pairs import (
    HeldText,
    Sentence,
    numbers,
    old_is_named,
    shares_something,
)
from snapshots.understanding.changes.standing import stands_beside
from snapshots.understanding.config import CHANGES, ChangePolicy
from snapshots.understanding.grading.vectors import Vectors
from snapshots.understanding.reading.forms import matching_form

WEIGHTS = Path(__file__).with_name("changes.json")
ENDS, DOUBTS, HOLDS = "ends", "doubts", "holds"


class Effect(StrEnum):
    """What a later sentence does to a held note. One of which a part ends says something else that still holds; one
    that is retold may hold as before, or no more."""

    ENDS = "ends"
    ENDS_PART = "ends_part"
    DOUBTS = "doubts"
    RETELLS = "retells"


STRENGTH = {Effect.RETELLS: 0, Effect.DOUBTS: 1, Effect.ENDS_PART: 2, Effect.ENDS: 3}


@dataclass(frozen=True, slots=True)
class Judged:
    """What a sentence does to a held note, by its place among those that were asked about."""

    place: int
    effect: Effect
    share: float


@lru_cache(maxsize=1)
def change_reader() -> LinearReader:
    """Return the reader as it was taught."""
    return LinearReader.read(WEIGHTS)


def candidates_among(sentence: Sentence, held: Sequence[HeldText], policy: ChangePolicy = CHANGES) -> list[int]:
    """Return the places of the held notes that a sentence may mean: at most ``policy.compared``, the last ones."""
    return [place for place, one in enumerate(held) if shares_something(sentence, one)][-policy.compared :]


def judge(
    sentence: Sentence,
    held: Sequence[HeldText],
    among: Sequence[int],
    vectors: Vectors,
    policy: ChangePolicy = CHANGES,
) -> list[Judged]:
    """Return what a sentence does to the notes at the places ``among``: those to which it does nothing are left out.

    What ends is what the reader is sure of and what speaks of the same person; a vital note only where its words are
    named as over. Raises KeyError for a text without a vector.
    """
    wanted = [held[place] for place in among]
    if not wanted:
        return []
    rows = numbers(sentence, wanted, vectors)
    shares = _shares(np.array([list(map(float, row.values())) for row in rows], np.float32))
    found = []
    for place, one, row, share in zip(among, wanted, rows, shares, strict=True):
        is_meant = row["shared"] or row["kinds"] or row["mentions"] or asks_something(sentence.before)
        if row["stranger"] or not is_meant or stands_beside(sentence, one):
            continue
        ends, doubts = share
        may_end = row["is_said"] and (not one.is_vital or old_is_named(sentence, one))
        if ends >= policy.sure_from and may_end:
            found.append(Judged(place, Effect.ENDS_PART if says_more(sentence, one) else Effect.ENDS, ends))
        elif ends + doubts >= policy.doubt_from:
            found.append(Judged(place, Effect.DOUBTS, ends + doubts))
        elif ends + doubts >= policy.retold_from:
            found.append(Judged(place, Effect.RETELLS, ends + doubts))
    return found


def asks_something(before: str) -> bool:
    """Return whether what was said before a sentence is a question: only its answer ends what it does not name."""
    return "?" in matching_form(before)


def _shares(rows: Float32) -> list[tuple[float, float]]:
    """Return how probable it is that each row ends, and that it makes doubtful."""
    reader = change_reader()
    told = (reader.shares(row) for row in rows)
    return [(share[ENDS], share[DOUBTS]) for share in told]
