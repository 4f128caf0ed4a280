"""Classify whether a sentence ends a note, makes it doubtful or only repeats it: a regression over pair features, and
rules that overrule it.

Trained by ``python -m lab.teaching.ended_notes``; ``changes.json`` holds the weights and names the training data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import LinearClassifier
from snapshots.models import VitalClass
from snapshots.understanding.changes.change_words import find_thing_kinds, load_state_patterns
from snapshots.understanding.changes.correction_grammar import load_grammar
from snapshots.understanding.changes.sentence_note_features import (
    NoteText,
    SaidSentence,
    compute_features,
    may_mean_note,
    names_note_as_over,
)
from snapshots.understanding.changes.unchanged_notes import has_other_facts, is_unaffected
from snapshots.understanding.config import CHANGES, ChangeConfig
from snapshots.understanding.drafting.near_duplicates import count_denials
from snapshots.understanding.grading.sentence_vectors import Vectors
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching

WEIGHTS = Path(__file__).with_name("data") / "changes.json"
ENDS, DOUBTS, HOLDS = "ends", "doubts", "holds"
# From this probability of a change on, a sentence counts as evidence of one.
CHANGED_FROM = 0.2

# So many characters may stand before a switch: 我已经.
_LEAD = 3


class EndingEffect(StrEnum):
    """The effect of a later sentence on a note. When a part ends, the rest still holds; a retold note may hold or
    not."""

    ENDS = "ends"
    ENDS_PART = "ends_part"
    DOUBTS = "doubts"
    RETELLS = "retells"


STRENGTH = {EndingEffect.RETELLS: 0, EndingEffect.DOUBTS: 1, EndingEffect.ENDS_PART: 2, EndingEffect.ENDS: 3}


@dataclass(frozen=True, slots=True)
class NoteEffect:
    """The effect of a sentence on the note at ``place``, with its probability."""

    place: int
    effect: EndingEffect
    share: float


@lru_cache(maxsize=1)
def load_ending_classifier() -> LinearClassifier:
    return LinearClassifier.read(WEIGHTS)


def find_meant_notes(sentence: SaidSentence, notes: Sequence[NoteText], config: ChangeConfig = CHANGES) -> list[int]:
    """Return the indexes of the notes that a sentence may mean: the last ones, at most ``policy.compared``."""
    return [place for place, one in enumerate(notes) if may_mean_note(sentence, one)][-config.compared :]


def classify_effects(
    sentence: SaidSentence,
    notes: Sequence[NoteText],
    among: Sequence[int],
    vectors: Vectors,
    config: ChangeConfig = CHANGES,
) -> list[NoteEffect]:
    """Return the effects of a sentence on the notes at the indexes ``among``; notes without an effect are left out.

    A vital note ends only where its words are named as over. An allergy becomes doubtful only where they are, or where
    the same thing has another figure: similarity alone is no evidence about a body. Raises KeyError for a text without
    a vector.
    """
    wanted = [notes[place] for place in among]
    if not wanted:
        return []
    rows = compute_features(sentence, wanted, vectors)
    numbers_of_all = np.array([list(map(float, row.values())) for row in rows], np.float32)
    shares = [(share[ENDS], share[DOUBTS]) for share in map(load_ending_classifier().class_shares, numbers_of_all)]
    found = []
    for place, one, row, share in zip(among, wanted, rows, shares, strict=True):
        is_meant = row["shared"] or row["kinds"] or row["mentions"] or follows_question(sentence.before)
        if row["stranger"] or not is_meant or is_unaffected(sentence, one):
            continue
        ends, doubts = share
        is_named = one.is_vital and names_note_as_over(sentence, one)
        may_end = row["is_said"] and (is_named or not one.is_vital)
        is_open = is_named or one.vital_class != VitalClass.ALLERGY or (row["clash"] and row["alone"])
        may_doubt = is_open and (_has_change_evidence(row) or ends + doubts >= config.unhinted_from)
        is_bare = only_ends_last_note(sentence.text, one.text) or (
            row["is_said"] and only_replaces_thing(sentence.text, one.text)
        )
        if place == len(notes) - 1 and not one.is_vital and is_bare:
            found.append(NoteEffect(place, EndingEffect.ENDS, 1.0))
        elif ends >= config.sure_from and may_end:
            found.append(
                NoteEffect(place, EndingEffect.ENDS_PART if has_other_facts(sentence, one) else EndingEffect.ENDS, ends)
            )
        elif ends + doubts >= config.doubt_from and may_doubt:
            found.append(NoteEffect(place, EndingEffect.DOUBTS, ends + doubts))
        elif ends + doubts >= config.retold_from:
            found.append(NoteEffect(place, EndingEffect.RETELLS, ends + doubts))
    return found


def only_ends_last_note(sentence: str, note: str) -> bool:
    """Return whether a sentence only says that the last note is over: 不是,我现在不喜欢了."""
    found = load_state_patterns()["bare"].pattern.search(fold_for_matching(sentence))
    verb = (found["en"] or found["zh"]).lower() if found else ""
    return bool(verb) and verb in note.lower() and not count_denials(note)


def only_replaces_thing(sentence: str, note: str) -> bool:
    """Return whether a sentence only replaces the thing in the last note by another of its kind: 换成华为了 after
    我用的是iPhone."""
    form = fold_for_matching(sentence).strip()
    found = load_grammar(detect_rule_language(form)).switch.search(form)
    new = next((one for one in found.groups() if one), "") if found else ""
    is_all = found is not None and len(form[: found.start()]) <= _LEAD
    return (
        is_all
        and new.lower() not in note.lower()
        and bool(find_thing_kinds(new) & find_thing_kinds(fold_for_matching(note)))
    )


def _has_change_evidence(row: Mapping[str, float]) -> bool:
    """Return whether a pair shares something that is the note's own and holds evidence of a change. Without both, most
    likely pairs are only about the same matter."""
    figures = row["clash"] or row["number_clash"]
    is_own = row["alone"] or row["kinds_alone"] or row["small_around"] or figures or row["old"]
    is_hinted = row["short"] and any(row[f"cue_{name}"] for name in ("over", "left", "again", "instead"))
    is_changed = row["change"] >= CHANGED_FROM or figures or row["cue_wrong"] or row["old"] or is_hinted
    return bool(is_own and is_changed)


def follows_question(before: str) -> bool:
    return "?" in fold_for_matching(before)
