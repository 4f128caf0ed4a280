"""Whom a sentence is about, as far as that decides whether it may end a note about somebody."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from snapshots.understanding.changes.words import people_in
from snapshots.understanding.reading.forms import matching_form

SELF = "self"
# From this probability on, a sentence that does not mention the user is about somebody else.
OTHER_FROM = 0.6
# What may stand before the word for somebody at the head of a sentence, or between two: "Finn's friend", 小斐的同学.
_HEAD = re.compile(
    r"(?:我们?|咱们?|俺)(?:家里?)?的?|(?:(?:little|old|poor|my|our|an?|the|one of my|her|his) )*", re.IGNORECASE
)
_OF = re.compile(r"(?:[A-Z][\w-]*|[老小阿][\u4e00-\u9fff]|\w{1,12}?)(?:'s?|家?的|家) ?", re.IGNORECASE)
_THEIRS = re.compile(r"(?:their|his|her)\b|[他她]们?(?!们|给|把|说|让|又|也)", re.IGNORECASE)
_ME = re.compile(r"\b(?:me|us|my|our|i|we)\b|我", re.IGNORECASE)
# The user themselves, not only a relative of theirs.
_OF_ME = re.compile(
    r"\b(?:i|me|we|us|mine|ours)\b|我(?![的妈爸爹娘哥姐弟妹爷奶公婆老闺儿女家们朋同室对媳爱外表堂姨舅叔导])|我们(?![家的老班])",
    re.IGNORECASE,
)
_OPENS_WITH_ME = re.compile(
    r"(?:i|i'm|i've|my (?:own|new))\b|我(?![的妈爸爹娘哥姐弟妹爷奶公婆老闺儿女家们朋同室对媳爱外表堂姨舅叔])",
    re.IGNORECASE,
)
# The subject of the sentence is a third person.
_THIRD_HEAD = re.compile(
    r"(?:he|she)(?:'s|'d)?\b|[他她](?!们|给|把|说|让|又|也)|[老小阿][\u4e00-\u9fff](?=[在住是有爱喜不也去来开做用])",
    re.IGNORECASE,
)
_THIRD = re.compile(r"\b(?:he|she|they|his|her|their|him|them)\b|[他她它]", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][a-z]+|[老小阿][\u4e00-\u9fff]")
# They decide for somebody, or serve: that they stand at the head of a sentence makes it no sentence about them.
_STANDING_BY = frozenset({"doctor", "landlord", "help", "teacher", "client"})

# A sentence about where its subject lives is about nobody else.
_LIVES = re.compile(
    r" ?(?:(?:has|have|had|is|'s|just|now|recently) )*"
    r"(?:(?:moved|moving|relocated) (?:to|into|in|house|away|out|back)|liv(?:es|ed|ing) )"
    r"|(?:最近|已经|现在|也|又|刚|都|上周|上个?月|今年|去年)*(?:搬[到去来家走]|住[在到])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Named:
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
def named_people(text: str) -> Named:
    form = matching_form(text)
    found = people_in(form)
    names = {}
    for who, (_, end) in found.items():
        beside = _NAME.match(form, end + (form[end : end + 1] == " "))
        if beside:
            names[who] = beside.group()
    before = _HEAD.match(form)
    start = before.end() if before else 0
    of = _OF.match(form, start)
    heads = [who for who, (at, _) in found.items() if at == start or (of and at == of.end())]
    head = max(heads, key=lambda who: found[who][0], default="")
    rest = form[found[head][1] :] if head else form
    return Named(frozenset(found), names, head, rest, _THEIRS.match(form) is not None, _THIRD.search(form) is not None)


def tells_of_another(said: str) -> bool:
    """Return whether a sentence has somebody else as its subject and never mentions the user: "my sister is not
    vegetarian any more"."""
    one = named_people(said)
    if one.head and one.head not in _STANDING_BY:
        return not _ME.search(one.rest)
    return _THIRD_HEAD.match(matching_form(said)) is not None and not _OF_ME.search(matching_form(said))


def is_of_another(said: str, held: str, about: str, *, before: str, other_share: float = 0.0) -> bool:
    """Return whether a sentence is about somebody whom a note is not about: "my nephew outgrew his allergy" beside "I'm
    allergic to peanuts".

    ``about`` is ``self`` or the label of the note's contact or thing; ``other_share`` is the probability that the
    sentence is about somebody else.
    """
    one, other = named_people(said), named_people(held)
    is_mine = about == SELF and not other.people and not other.is_third and not _OF_ME.search(matching_form(said))
    if is_mine and (_THIRD_HEAD.match(said) or other_share >= OTHER_FROM) and not one.people & _STANDING_BY:
        return True
    others = other.people | (named_people(about).people if about != SELF else frozenset())
    head = one.head if one.head not in _STANDING_BY or _LIVES.match(one.rest) else ""
    if head and head not in others and not _ME.search(one.rest):
        return True
    is_named = bool(one.people & others) or about.lower() in said.lower()
    if about != SELF and _OPENS_WITH_ME.match(said) and not (one.is_third or is_named):
        return True
    if any(other.names.get(who, name) != name for who, name in one.names.items()):
        return True
    return one.is_theirs and about == SELF and not before
