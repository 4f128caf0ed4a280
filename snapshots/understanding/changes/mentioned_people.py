"""Whom a sentence is about, as far as that decides whether it may end a note about somebody."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.changes.change_words import find_people_words
from snapshots.understanding.reading.text_folding import fold_for_matching

SELF = "self"
# From this probability on, a sentence that does not mention the user is about somebody else.
OTHER_FROM = 0.6
_RE = load_patterns(Path(__file__).with_name("data") / "mentioned_people.toml")
_ME = re.compile(r"\b(?:me|us|my|our|i|we)\b|我", re.IGNORECASE)
# They decide for somebody, or serve: that they stand at the head of a sentence makes it no sentence about them.
_STANDING_BY = frozenset({"doctor", "landlord", "help", "teacher", "client"})


@dataclass(frozen=True, slots=True)
class MentionedPeople:
    """The people in a text: ``people`` by words for them, ``names`` beside such words, ``head`` the subject at its
    head.

    ``rest`` follows the head; ``is_theirs`` says that the text begins with the thing of a third person, ``is_third``
    that it mentions a third person at all.
    """

    people: frozenset[str]
    names: Mapping[str, str]
    head: str
    rest: str
    is_theirs: bool
    is_third: bool


@lru_cache(maxsize=4_096)
def find_mentioned_people(text: str) -> MentionedPeople:
    form = fold_for_matching(text)
    found = find_people_words(form)
    names = {}
    for who, (_, end) in found.items():
        beside = _RE["name"].match(form, end + (form[end : end + 1] == " "))
        if beside:
            names[who] = beside.group()
    before = _RE["head"].match(form)
    start = before.end() if before else 0
    of = _RE["of"].match(form, start)
    heads = [who for who, (at, _) in found.items() if at == start or (of and at == of.end())]
    head = max(heads, key=lambda who: found[who][0], default="")
    rest = form[found[head][1] :] if head else form
    return MentionedPeople(
        frozenset(found),
        names,
        head,
        rest,
        _RE["theirs"].match(form) is not None,
        _RE["third"].search(form) is not None,
    )


def is_only_about_another(sentence: str) -> bool:
    """Return whether a sentence has somebody else as its subject and never mentions the user: "my sister is not
    vegetarian any more"."""
    one = find_mentioned_people(sentence)
    if one.head and one.head not in _STANDING_BY:
        return not _ME.search(one.rest)
    return _RE["third_head"].match(fold_for_matching(sentence)) is not None and not _RE["of_me"].search(
        fold_for_matching(sentence)
    )


def is_about_stranger(sentence: str, note: str, about: str, *, before: str, other_share: float = 0.0) -> bool:
    """Return whether a sentence is about somebody whom a note is not about: "my nephew outgrew his allergy" beside "I'm
    allergic to peanuts".

    ``about`` is ``self`` or the label of the note's contact or thing; ``other_share`` is the probability that the
    sentence is about somebody else.
    """
    one, other = find_mentioned_people(sentence), find_mentioned_people(note)
    is_mine = (
        about == SELF
        and not other.people
        and not other.is_third
        and not _RE["of_me"].search(fold_for_matching(sentence))
    )
    if is_mine and (_RE["third_head"].match(sentence) or other_share >= OTHER_FROM) and not one.people & _STANDING_BY:
        return True
    others = other.people | (find_mentioned_people(about).people if about != SELF else frozenset())
    head = one.head if one.head not in _STANDING_BY or _RE["lives"].match(one.rest) else ""
    if head and head not in others and not _ME.search(one.rest):
        return True
    is_named = bool(one.people & others) or about.lower() in sentence.lower()
    if about != SELF and _RE["opens_with_me"].match(sentence) and not (one.is_third or is_named):
        return True
    if any(other.names.get(who, name) != name for who, name in one.names.items()):
        return True
    return one.is_theirs and about == SELF and not before
