"""Whether a sentence ends held notes, makes them doubtful or only speaks of the same: a regression over :mod:`pairs`,
and what it must not decide.

It was taught by ``python -m lab.teaching.changes``; ``changes.json`` holds the weights and what taught them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32, LinearReader
from snapshots.models import VitalClass
from snapshots.understanding.changes.facts import says_more
from snapshots.understanding.changes.pairs import (
    HeldText,
    Sentence,
    numbers,
    old_is_named,
    shares_something,
)
from snapshots.understanding.changes.standing import stands_beside
from snapshots.understanding.changes.words import hold_rows, kinds_in
from snapshots.understanding.config import CHANGES, ChangePolicy
from snapshots.understanding.correcting.words import grammar_of
from snapshots.understanding.drafting.sayings import denials_in
from snapshots.understanding.grading.vectors import Vectors
from snapshots.understanding.reading.forms import language_of, matching_form

WEIGHTS = Path(__file__).with_name("changes.json")
ENDS, DOUBTS, HOLDS = "ends", "doubts", "holds"
CHANGED_FROM = 0.2
"""Share of the reader of clauses from which a sentence changes something, where a word of the note's own says so, too.
"""

_LEAD = 3
"""Characters that may stand before a switch: 我已经."""


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
    named as over. An allergy is doubted only where they are, or where the same thing has another figure: no likeness
    tells that a body bears something again. Raises KeyError for a text without a vector.
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
        is_named = one.is_vital and old_is_named(sentence, one)
        may_end = row["is_said"] and (is_named or not one.is_vital)
        is_open = is_named or one.vital_class != VitalClass.ALLERGY or (row["clash"] and row["alone"])
        may_doubt = is_open and (_is_evident(row) or ends + doubts >= policy.unhinted_from)
        is_bare = ends_bare(sentence.text, one.text) or (row["is_said"] and switches(sentence.text, one.text))
        if place == len(held) - 1 and not one.is_vital and is_bare:
            found.append(Judged(place, Effect.ENDS, 1.0))
        elif ends >= policy.sure_from and may_end:
            found.append(Judged(place, Effect.ENDS_PART if says_more(sentence, one) else Effect.ENDS, ends))
        elif ends + doubts >= policy.doubt_from and may_doubt:
            found.append(Judged(place, Effect.DOUBTS, ends + doubts))
        elif ends + doubts >= policy.retold_from:
            found.append(Judged(place, Effect.RETELLS, ends + doubts))
    return found


def ends_bare(said: str, held: str) -> bool:
    """Return whether a sentence says no more than that what was just told is over: 不是,我现在不喜欢了."""
    found = hold_rows()["bare"].pattern.search(matching_form(said))
    verb = (found["en"] or found["zh"]).lower() if found else ""
    return bool(verb) and verb in held.lower() and not denials_in(held)


def switches(said: str, held: str) -> bool:
    """Return whether a sentence says no more than that another thing of its kind takes the place of the one that was
    just told: 换成华为了 after 我用的是iPhone."""
    form = matching_form(said).strip()
    found = grammar_of(language_of(form)).switch.search(form)
    new = next((one for one in found.groups() if one), "") if found else ""
    is_all = found is not None and len(form[: found.start()]) <= _LEAD
    return is_all and new.lower() not in held.lower() and bool(kinds_in(new) & kinds_in(matching_form(held)))


def _is_evident(row: Mapping[str, float]) -> bool:
    """Return whether the numbers of a pair hold something that is the note's own, and evidence that it has changed:
    without both most of what is likely is only of the same matter."""
    figures = row["clash"] or row["number_clash"]
    is_own = row["alone"] or row["kinds_alone"] or row["small_around"] or figures or row["old"]
    is_hinted = row["short"] and any(row[f"cue_{name}"] for name in ("over", "left", "again", "instead"))
    is_changed = row["change"] >= CHANGED_FROM or figures or row["cue_wrong"] or row["old"] or is_hinted
    return bool(is_own and is_changed)


def asks_something(before: str) -> bool:
    """Return whether what was said before a sentence is a question: only its answer ends what it does not name."""
    return "?" in matching_form(before)


def _shares(rows: Float32) -> list[tuple[float, float]]:
    """Return how probable it is that each row ends, and that it makes doubtful."""
    reader = change_reader()
    told = (reader.shares(row) for row in rows)
    return [(share[ENDS], share[DOUBTS]) for share in told]
