"""Whom "her number" and 她的电话 mean: the one contact just named whom the pronoun fits, else nobody."""

import re
from collections.abc import Iterable, Sequence

from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.slots.slot_patterns import LanguageWords
from snapshots.understanding.values import TagCandidate

# Pronouns and the list of relations that each may refer to; other pronouns may refer to anybody.
GENDERS = {"she": "female", "her": "female", "hers": "female", "他": "male", "她": "female"} | {
    "he": "male",
    "his": "male",
    "him": "male",
}

_OF_ANIMALS = frozenset({"it", "its", "它"})
_FULL_NAME = re.compile(r"[\u3400-\u9fff]{3}")
_PRONOUN = re.compile(r"\b(?:she|her|hers|he|his|him|they|their|them)\b|[她他]|\bta\b", re.IGNORECASE)


def resolve_pronoun(
    word: str, contacts: Iterable[TagCandidate], since: str, words: LanguageWords
) -> TagCandidate | None:
    """Return the one of ``contacts`` contacts that ``word`` may mean; None where it may mean two, or somebody else
    mentioned in the words ``since``."""
    people = list(contacts)
    fitting = [one for one in people if fits_relation(word, one.relation or one.label, words)]
    if len(fitting) != 1 or _mentions_other(since, people, words):
        return None
    return fitting[0]


def find_pronoun(text: str) -> str:
    found = _PRONOUN.search(text)
    return found.group().lower() if found else ""


def fits_relation(word: str, relation: str, words: LanguageWords) -> bool:
    """Return whether a pronoun may mean somebody of this relation; where the gender is open, any fits."""
    if word.lower() in _OF_ANIMALS:
        return words.is_in_list("animals", relation)
    wanted = GENDERS.get(word.lower())
    known = next((gender for gender in ("female", "male") if words.is_in_list(gender, relation)), None)
    return wanted is None or known is None or wanted == known


def _mentions_other(text: str, contacts: Sequence[TagCandidate], words: LanguageWords) -> bool:
    finder = words.find_pattern("somebody")
    known = {fold_for_matching(one).lower() for one in _list_names(contacts)}
    if finder is None:
        return False
    found = (match.groupdict().get("name") or match.group() for match in finder.finditer(fold_for_matching(text)))
    return any(one.lower() not in known for one in found)


def _list_names(contacts: Iterable[TagCandidate]) -> Iterable[str]:
    for one in contacts:
        yield from (one.label, one.relation or "", *one.aliases)


def list_known_names(people: Iterable[TagCandidate]) -> list[str]:
    """Return the names of people, the longest first; a Chinese name also without its surname."""
    told = {name for one in people for name in (one.label, *one.aliases) if name and name != one.relation}
    short = {name[1:] for name in told if _FULL_NAME.fullmatch(name)}
    return sorted(told | short, key=lambda name: (-len(name), name))
