"""What the tagger's spans propose (E1): one candidate each, in the convention of the frames beside it.

The tagger is asked where rules found nothing in a sentence. What is asked, supposed, told of others or meant for now
is no candidate, whatever it says, and what the reader of corrections is not sure of changes nothing. A tagger analyses:
what it names replaces nothing that was said outright, unless it was said as a correction.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from snapshots.extraction import marks, rules_en_limits, rules_zh_limits
from snapshots.extraction.categories import GENERAL, INTEREST_CATEGORIES, allergen_category, known_category
from snapshots.extraction.corrections_reader import is_correction
from snapshots.extraction.frames_en import of_others
from snapshots.extraction.frames_zh import others_zh
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import entries, fact, preference
from snapshots.extraction.rules_en_constraints import NOUNS
from snapshots.extraction.rules_en_preferences import DIETS
from snapshots.extraction.tagger import Span, tagger
from snapshots.extraction.tagger_words import Word, category_of_kind, read_by
from snapshots.extraction.topics import topics_of
from snapshots.extraction.values import Candidate, Sort

LONGEST = 1_000
"""Characters of a message that is read: above it stands a text, not a turn."""
FACTS = {
    "name": "name",
    "occupation": "occupation",
    "employer": "employer",
    "city": "city",
    "age": "age",
    "pet": "pets",
}
"""Fields of the profile by the kind of a span."""
_HARMLESS = re.compile(
    r"\b(?:not|n't|never|no longer) (?:\w+ )?(?:allergic|intolerant)|不(?:再|会)?过敏", re.IGNORECASE
)
_OF_A_MOMENT = frozenset({"habit", "old"})
"""Kinds that may be told of a moment: "third time this week"."""
_FIELD_OF = {"en": rules_en_limits.field_of, "zh": rules_zh_limits.field_of}
_DIET = re.compile(rf"{DIETS}|plant[- ]based|清真|素食?|全素|纯素|生酮|无麸质", re.IGNORECASE)
_HEAD = re.compile(r"^(?:(?:an?|the|my|our|some|any) )+(?=\w)", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"(?:(?:an?|the|it|its|that|this|these|those|them|one|ones|of|to|in|on|at|for|with|and|or|but|is|are|was|be|i|me|"
    r"my|you|your|we|our|so|too|very|not|no|stuff|things?)(?: |$))+|[的了是在和与就都也很我你他她它们这那个]+",
    re.IGNORECASE,
)
"""What is left of a name when its edge was cut wrong: nothing that anybody could remember."""
_BRACKETS = tuple(zip("([（「《“", ")]）」》”", strict=True))
_MONEY = re.compile(
    r"[$€£¥]|\b(?:dollars?|euros?|pounds?|quid|bucks?|yuan|grand|spend|spent|pay|budget|costs?|prices?|rent)\b"
    r"|[块元钱蚊价租]|预算|花费",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\d ?[ap]m\b|\bo'?clock\b|\d:\d\d|\b(?:before|after|until|till|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"mornings?|evenings?|nights?|weekends?)\b|[点點]|[早中晚]上|上午|下午|周[一二三四五六日末]|礼拜|星期",
    re.IGNORECASE,
)
_ATTRIBUTES = tuple(
    (field, re.compile(cue, re.IGNORECASE))
    for field, cue in (
        ("hometown", r"\b(?:from|born|grew up|raised|originally)\b|老家|出生|来自|籍贯|长大"),
        ("education", r"\b(?:study|studying|studied|degree|masters?|phd|uni|major)\b|读|专业|大学|学的"),
        (
            "children",
            r"\b(?:kids?|sons?|daughters?|twins?|boys?|girls?|newborn|mum to|dad to)\b|孩子|女儿|儿子|闺女|娃|胎",
        ),
        ("vehicle", r"\b(?:drive|driving|car|van|truck|ride|motorbike)\b|开车|车是|我开|骑|车子"),
        ("languages", r"\b(?:speak|fluent|bilingual|native)\b|会说|讲.{1,4}[语话]"),
        (
            "health",
            r"\b(?:asthma|diabet\w+|pregnant|deaf|blind|dyslexi\w+|adhd|blood pressure|arthritis|gout|wheelchair)\b"
            r"|哮喘|糖尿|血压|怀孕|近视|痛风|[病症炎]",
        ),
    )
)
"""What a span about the speaker, otherwise unnamed, tells of; one that none fits has no place."""


@dataclass(frozen=True, slots=True)
class Named:
    """A span as the speaker wrote it, with the clause that says it."""

    kind: str
    value: str
    clause: Clause


def tagged(clauses: list[Clause]) -> Iterator[Candidate]:
    """Yield what the tagger reads in a sentence that says nothing by rules."""
    if len(clauses[0].utterance.text) > LONGEST or not any(_is_own(clause) for clause in clauses):
        return
    read = read_by(clauses)
    least = tagger().least
    spans = [span for span in tagger().spans(read) if span.share >= least.get(span.kind, 1.0)]
    named = [one for span in spans if (one := _named(span, read.words, clauses))]
    yield from _change(named)
    for one in named:
        yield from map(_analysed, _candidates(one))


def _analysed(found: Candidate) -> Candidate:
    return replace(found, provenance="analysis") if found.provenance == "confirmed_by_user" else found


def _named(span: Span, words: Sequence[Word], clauses: Sequence[Clause]) -> Named | None:
    first = clauses[0]
    start, end = (first.sentence_start + at for at in (words[span.first].start, words[span.last].end))
    clause = next((one for one in reversed(clauses) if one.start <= start), first)
    if not _is_own(clause) or (clause.one_off and span.kind not in _OF_A_MOMENT):
        return None
    if span.kind == "allergy" and _HARMLESS.search(clause.text):
        return None
    value = _HEAD.sub("", first.utterance.text[start:end]).strip(" .,!?\"'~-")
    return Named(span.kind, value, clause) if value and not _is_fragment(value) else None


def _is_fragment(value: str) -> bool:
    """Return whether a span is small words alone, or has one half of a pair of brackets."""
    return bool(_FRAGMENT.fullmatch(value)) or any(value.count(left) != value.count(right) for left, right in _BRACKETS)


def _is_own(clause: Clause) -> bool:
    """Return whether a clause says something as true, and not of somebody else."""
    if not clause.asserted or clause.subject == "other":
        return False
    if clause.language == "zh":
        return not others_zh(clause)
    other = marks.OTHER_EN.match(clause.text)
    return not of_others(clause) and (other is None or marks.SELF_EN.search(clause.text, other.end()) is not None)


def _change(named: Sequence[Named]) -> Iterator[Candidate]:
    """Yield what is new, in the place of what is old where that is named; of what object, its speaker knows.

    What is over and has no successor is left to the rules: two in three that the tagger names are no such thing.
    """
    new = next((one for one in named if one.kind == "new"), None)
    if new is None or not is_correction(new.clause.utterance.text):
        return
    old = next((one.value for one in named if one.kind == "old"), None)
    yield preference(new.clause, "change", (None, None), "replace" if old else "set", new.value, old)


def _candidates(one: Named) -> Iterator[Candidate]:
    clause, value = one.clause, one.value
    if one.kind in _TASTES:
        sort, key = _TASTES[one.kind]
        yield from entries(clause, sort, key, [(value, _hint(one))])
    elif one.kind in FACTS:
        yield fact(FACTS[one.kind], clause, value)
    elif one.kind in _LIMITS:
        yield _LIMITS[one.kind](one)
    elif one.kind == "interest":
        category = known_category(value)
        place = (category if category in INTEREST_CATEGORIES else "leisure", "likes")
        yield preference(clause, "explicit", place, "add", (value,))
        yield fact("interests", clause, value, mode="append")
    elif one.kind == "attribute":
        field = next((name for name, cue in _ATTRIBUTES if cue.search(clause.text)), None)
        if field:
            yield fact(field, clause, value)


def _allergy(one: Named) -> Candidate:
    place = (allergen_category(one.value), "allergies")
    return preference(one.clause, "constraint", place, "add", (one.value,))


def _avoided(one: Named) -> Candidate:
    if _DIET.fullmatch(one.value):
        return preference(one.clause, "constraint", ("food", "diet"), "set", one.value)
    category = _subject(one)
    key = f"avoid_{NOUNS[category]}" if category in NOUNS else "avoid"
    return preference(one.clause, "constraint", (category, key), "add", (one.value,))


def _bound(one: Named) -> Candidate:
    money = _MONEY.search(one.clause.sentence)
    key = "quiet_hours" if _CLOCK.search(one.value) else "budget_limit" if money else "limit"
    return preference(one.clause, "constraint", (_subject(one), key), "set", one.value)


def _wish(one: Named) -> Candidate:
    return preference(one.clause, "explicit", (_subject(one), "wishes"), "add", (one.value,))


_TASTES: dict[str, tuple[Sort, str]] = {
    "like": ("explicit", "likes"),
    "habit": ("implicit", "likes"),
    "dislike": ("explicit", "dislikes"),
}
_LIMITS: dict[str, Callable[[Named], Candidate]] = {
    "allergy": _allergy,
    "avoid": _avoided,
    "bound": _bound,
    "wish": _wish,
}


def _hint(one: Named) -> str | None:
    """Return the category that the sentence is about, where the thing itself is of none that is known."""
    return None if known_category(one.value) else _subject(one)


def _subject(one: Named) -> str:
    """Return the category of the thing, else of words like its own, else of what the sentence is about."""
    known = known_category(one.value) or category_of_kind(one.value)
    if known:
        return known
    sentence = one.clause.sentence
    field = _FIELD_OF[one.clause.language](sentence)
    return field if field != GENERAL else next(iter(topics_of(sentence)), GENERAL)
