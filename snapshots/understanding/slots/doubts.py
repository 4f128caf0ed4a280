"""Whether the match of a row is meant: the user's own statement, lasting as its slot needs it."""

import re
from collections.abc import Callable, Mapping

from snapshots.understanding.reading import modality
from snapshots.understanding.slots.builders import SLOTS
from snapshots.understanding.slots.lexicon import Row
from snapshots.understanding.slots.speakers import Text

_TAKEN = ("value", "occupation", "employer")


def _around(row: Row, text: Text) -> str:
    """Return the words in which "today" silences a row: its clause, or the whole sentence of a wish or limit."""
    return text.sentence if SLOTS[row.slot].of_the_sentence else text.form


def _own_words(text: Text) -> str:
    """Return the words that decide whether it is so: the whole sentence where its subject stands there."""
    return text.sentence if text.added else text.form


def without_value(text: Text, match: re.Match[str]) -> str:
    """Return the sentence of ``text`` without the matched value: a job title may look like another person."""
    taken = [said for name, said in match.groupdict().items() if said and name in _TAKEN]
    sentence = text.sentence
    for said in taken:
        sentence = sentence.replace(said, " ")
    return sentence


# Why a match may not be meant; a row may allow some of them by name.
_DOUBTS: Mapping[str, Callable[[Row, Text, int], bool]] = {
    "asked": lambda _, text, __: modality.is_asked(text.form, ends_asked=text.ends_asked, language=text.language),
    "supposed": lambda _, text, __: modality.is_supposed(_own_words(text), text.sentence),
    "change": lambda _, text, end: modality.is_change(text.form[:end]),
    "past": lambda _, text, __: modality.is_past(_own_words(text)),
    "for_now": lambda row, text, _: modality.is_for_now(_around(row, text)),
    "taken_back": lambda _, text, end: modality.is_taken_back(text.sentence, text.offset + end),
    "reported": lambda _, text, end: modality.is_reported(text.sentence, text.offset + end),
}


def is_meant(row: Row, text: Text, match: re.Match[str]) -> bool:
    if row.needs_lasting and not modality.is_lasting(f"{text.sentence} {text.after}"):
        return False
    return not any(holds(row, text, match.end()) for doubt, holds in _DOUBTS.items() if doubt not in row.allow)
