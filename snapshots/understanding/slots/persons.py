"""Clauses about somebody other than the user: "my daughter is allergic to eggs", 我妈住汉中.

Such a clause is restated as if the user said it of themselves ("I'm allergic to eggs"), so that rows need one form
only. The candidates are then given to the other person: ``people/daughter_allergies``; a name makes a contact.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from profiles.services.tags.words import HOMES, SYNONYMS
from snapshots.understanding.slots.lexicon import Words
from snapshots.understanding.slots.values import is_chinese, is_name
from snapshots.understanding.values import Candidate, Evidence, PreferenceCandidate, ProfileFact, TagCandidate

# Categories of preferences about others; the key begins with the person or pet.
PEOPLE, PETS = "people", "pets"
TOLD_FIELDS = frozenset(
    {"occupation", "employer", "workplace", "city", "country", "hometown", "age", "birthday"}
    | {"conditions", "medication", "languages", "interests", "car"}
)
TOLD_KEYS = frozenset({"allergies", "avoid", "likes", "dislikes", "diet"})
_NOT_A_KEY = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Person:
    """The subject of a clause, by relation, name or pronoun."""

    relation: str = ""
    name: str = ""
    pronoun: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A clause about another as the user would say it of themselves: ``head`` and the words from ``rest`` on."""

    person: Person
    head: str
    rest: int


def find_told(form: str, at: int, words: Words, names: Sequence[str]) -> Told | None:
    """Return the clause at ``at`` restated, None where it is not about somebody else; ``names`` are those of the known
    people, the longest first."""
    finder = words.finder("another")
    found = finder.match(form, at) if finder else None
    if found is not None:
        name = found["name"] or ""
        person = Person(found["relation"] or "", name, found["pronoun"] or "")
        end = found.end()
        if name and not is_name(name, words):
            person, end = replace(person, name=""), found.end("relation")
    else:
        name = next((one for one in names if form.startswith(one, at)), "")
        person, end = Person(name=name), at + len(name)
    spoken = speak_as_user(form, end, words) if end > at else None
    return None if spoken is None else Told(person, *spoken)


def speak_as_user(form: str, at: int, words: Words) -> tuple[str, int] | None:
    """Return the head that the user would say instead of the verb at ``at``, and where the rest begins."""
    for pattern, head in _verbs(words):
        found = pattern.match(form, at)
        if found is not None:
            return found.expand(head), found.end()
    return None


@cache
def _verbs(words: Words) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(words.expand(pattern), re.IGNORECASE), head) for pattern, head in words.as_user)


def find_mentions(
    message: str, form: str, start: int, end: int, words: Words, key: str
) -> Iterator[tuple[TagCandidate, bool]]:
    """Yield the people that a sentence mentions, in order, as contacts that may have no name; and whether they are the
    user's."""
    finder, another, parted = words.finder("mention"), words.finder("not_mine"), words.finder("parted")
    last = start
    for found in finder.finditer(form, start, end) if finder else ():
        before = form[start : found.start()]
        before = parted.split(before)[-1] if parted else before
        # "She has a daughter", 我朋友的老公: somebody else's.
        is_anothers = form[last : found.start()] in ("", "的") and last > start
        last = found.end()
        is_owned = words.holds_any("owner", found["mine"] or "")
        if is_anothers or (another is not None and not is_owned and another.search(before)):
            continue
        relation = message[slice(*found.span("relation"))]
        name = message[slice(*found.span("name"))] if found["name"] else ""
        name = name if name and is_name(name, words) else ""
        stop = found.end() if name else found.end("relation")
        evidence = Evidence(key, message[found.start() : stop], found.start())
        yield contact_of(relation, name, evidence, words), found["mine"] is not None


def contact_of(relation: str, name: str, evidence: Evidence, words: Words) -> TagCandidate:
    label = relation if relation and (words.has("one_of", relation) or not name) else name
    aliases = (name,) if name and name != label else ()
    return TagCandidate(label, "contact", evidence, relation=relation or None, aliases=aliases)


def names_another(sentence: str, words: Words, names: Iterable[str], *, unknown_too: bool) -> bool:
    """Return whether a sentence names somebody beside the user: kin, a role, one of ``names``, or with ``unknown_too``
    a subject that looks like a name. A doctor who names the user's illness is none."""
    doctors = words.finder("doctors_say")
    sentence = doctors.sub(" ", sentence) if doctors else sentence
    if words.holds_any("others", sentence) or any(name in sentence for name in names):
        return True
    return unknown_too and words.holds_any("subject_name", sentence)


def is_same_relation(one: str, other: str) -> bool:
    """Return whether two relations are one: "mum" and "mother", 妈 and 妈妈."""
    return one == other or any(one in words and other in words for words in SYNONYMS)


def is_animal(one: TagCandidate, words: Words) -> bool:
    return words.has("animals", one.relation or "")


def give_to(one: TagCandidate, found: Iterable[Candidate], words: Words) -> Iterator[Candidate]:
    """Yield the user's candidates as those of ``one``; budgets and styles are left out."""
    category = PETS if is_animal(one, words) else PEOPLE
    key = _NOT_A_KEY.sub("_", one.label.lower()).strip("_")
    # A name says who is meant, and so does kin, or a role of which one has one.
    identifies = one.label != one.relation or any(words.has(name, one.label) for name in ("kin", "one_of", "animals"))
    for candidate in found:
        if isinstance(candidate, ProfileFact) and candidate.field == "name":
            yield _named(one, candidate, words)
        elif not identifies or candidate.texts == (one.relation,):
            continue
        elif isinstance(candidate, TagCandidate) and candidate.kind == "place" and candidate.label in HOMES:
            yield replace(one, evidence=candidate.evidence, address=candidate.address)  # "Ben moved to 9 Pine Lane"
        elif isinstance(candidate, ProfileFact) and candidate.field in TOLD_FIELDS:
            is_list = candidate.mode == "append"
            yield PreferenceCandidate(
                category,
                f"{key}_{candidate.field}",
                (candidate.value,) if is_list else candidate.value,
                candidate.evidence.quote,
                "add" if is_list else "set",
                "explicit",
                candidate.evidence,
                provenance=candidate.provenance,
                confidence=candidate.confidence,
            )
        elif isinstance(candidate, PreferenceCandidate) and candidate.key in TOLD_KEYS:
            yield replace(candidate, category=category, key=f"{key}_{candidate.key}")


def _named(one: TagCandidate, fact: ProfileFact, words: Words) -> Candidate:
    relation = one.relation or ""
    if is_animal(one, words):
        between = "" if is_chinese(relation) else " "
        return replace(fact, field="pets", value=f"{relation}{between}{fact.value}", mode="append")
    return replace(contact_of(relation, fact.value, fact.evidence, words), confidence=fact.confidence)
