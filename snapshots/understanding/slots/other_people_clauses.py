"""Clauses about somebody other than the user: "my daughter is allergic to eggs", 我妈住汉中.

Such a clause is restated as if the user said it of themselves ("I'm allergic to eggs"), so that rows need one form
only. The candidates are then given to the other person: ``people/daughter_allergies``; a name makes a contact.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from profiles.tag_label_words import HOMES, SYNONYMS
from snapshots.understanding.slots.slot_patterns import LanguageWords
from snapshots.understanding.slots.value_checks import has_chinese, is_name
from snapshots.understanding.values import Candidate, Evidence, FactCandidate, PreferenceCandidate, TagCandidate

# Categories of preferences about others; the key begins with the person or pet.
PEOPLE, PETS = "people", "pets"
TOLD_FIELDS = frozenset(
    {"occupation", "employer", "workplace", "city", "country", "hometown", "age", "birthday"}
    | {"conditions", "medication", "languages", "interests", "car"}
)
TOLD_KEYS = frozenset({"allergies", "avoid", "likes", "dislikes", "diet"})
_NOT_A_KEY = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class ClauseSubject:
    """The subject of a clause, by relation, name or pronoun."""

    relation: str = ""
    name: str = ""
    pronoun: str = ""


@dataclass(frozen=True, slots=True)
class RestatedClause:
    """A clause about another as the user would say it of themselves: ``head`` and the words from ``rest`` on."""

    person: ClauseSubject
    head: str
    rest: int


def restate_clause(form: str, at: int, words: LanguageWords, names: Sequence[str]) -> RestatedClause | None:
    """Return the clause at ``at`` restated, None where it is not about somebody else; ``names`` are those of the known
    people, the longest first."""
    finder = words.find_pattern("another")
    found = finder.match(form, at) if finder else None
    if found is not None:
        name = found["name"] or ""
        person = ClauseSubject(found["relation"] or "", name, found["pronoun"] or "")
        end = found.end()
        if name and not is_name(name, words):
            person, end = replace(person, name=""), found.end("relation")
    else:
        name = next((one for one in names if form.startswith(one, at)), "")
        person, end = ClauseSubject(name=name), at + len(name)
    spoken = restate_verb(form, end, words) if end > at else None
    return None if spoken is None else RestatedClause(person, *spoken)


def restate_verb(form: str, at: int, words: LanguageWords) -> tuple[str, int] | None:
    """Return the head that the user would say instead of the verb at ``at``, and where the rest begins."""
    for pattern, head in _load_verbs(words):
        found = pattern.match(form, at)
        if found is not None:
            return found.expand(head), found.end()
    return None


@cache
def _load_verbs(words: LanguageWords) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(words.expand(pattern), re.IGNORECASE), head) for pattern, head in words.as_user)


def find_mentioned_contacts(
    message: str, form: str, start: int, end: int, words: LanguageWords, key: str
) -> Iterator[tuple[TagCandidate, bool]]:
    """Yield the people that a sentence mentions, in order, as contacts that may have no name; and whether they are the
    user's."""
    finder, another, parted = (
        words.find_pattern("mention"),
        words.find_pattern("not_mine"),
        words.find_pattern("parted"),
    )
    last = start
    for found in finder.finditer(form, start, end) if finder else ():
        before = form[start : found.start()]
        before = parted.split(before)[-1] if parted else before
        # "She has a daughter", 我朋友的老公: somebody else's.
        is_anothers = form[last : found.start()] in ("", "的") and last > start
        last = found.end()
        is_owned = words.contains_any("owner", found["mine"] or "")
        if is_anothers or (another is not None and not is_owned and another.search(before)):
            continue
        relation = message[slice(*found.span("relation"))]
        name = message[slice(*found.span("name"))] if found["name"] else ""
        name = name if name and is_name(name, words) else ""
        stop = found.end() if name else found.end("relation")
        evidence = Evidence(key, message[found.start() : stop], found.start())
        yield build_contact_candidate(relation, name, evidence, words), found["mine"] is not None


def build_contact_candidate(relation: str, name: str, evidence: Evidence, words: LanguageWords) -> TagCandidate:
    label = relation if relation and (words.is_in_list("one_of", relation) or not name) else name
    aliases = (name,) if name and name != label else ()
    return TagCandidate(label, "contact", evidence, relation=relation or None, aliases=aliases)


def names_other_person(sentence: str, words: LanguageWords, names: Iterable[str], *, unknown_too: bool) -> bool:
    """Return whether a sentence names somebody beside the user: kin, a role, one of ``names``, or with ``unknown_too``
    a subject that looks like a name. A doctor who names the user's illness does not count."""
    doctors = words.find_pattern("doctors_say")
    sentence = doctors.sub(" ", sentence) if doctors else sentence
    if words.contains_any("others", sentence) or any(name in sentence for name in names):
        return True
    return unknown_too and words.contains_any("subject_name", sentence)


def is_same_relation(one: str, other: str) -> bool:
    """Return whether two relations mean the same: "mum" and "mother", 妈 and 妈妈."""
    return one == other or any(one in words and other in words for words in SYNONYMS)


def is_animal(one: TagCandidate, words: LanguageWords) -> bool:
    return words.is_in_list("animals", one.relation or "")


def assign_to_person(one: TagCandidate, candidates: Iterable[Candidate], words: LanguageWords) -> Iterator[Candidate]:
    """Yield the user's candidates as those of ``one``; budgets and styles are left out."""
    category = PETS if is_animal(one, words) else PEOPLE
    key = _NOT_A_KEY.sub("_", one.label.lower()).strip("_")
    # A name says who is meant, and so does kin, or a role of which one has one.
    identifies = one.label != one.relation or any(
        words.is_in_list(name, one.label) for name in ("kin", "one_of", "animals")
    )
    for candidate in candidates:
        if isinstance(candidate, FactCandidate) and candidate.field == "name":
            yield _build_name_candidate(one, candidate, words)
        elif not identifies or candidate.value_texts == (one.relation,):
            continue
        elif isinstance(candidate, TagCandidate) and candidate.kind == "place" and candidate.label in HOMES:
            yield replace(one, evidence=candidate.evidence, address=candidate.address)  # "Ben moved to 9 Pine Lane"
        elif isinstance(candidate, FactCandidate) and candidate.field in TOLD_FIELDS:
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


def _build_name_candidate(one: TagCandidate, fact: FactCandidate, words: LanguageWords) -> Candidate:
    relation = one.relation or ""
    if is_animal(one, words):
        between = "" if has_chinese(relation) else " "
        return replace(fact, field="pets", value=f"{relation}{between}{fact.value}", mode="append")
    return replace(build_contact_candidate(relation, fact.value, fact.evidence, words), confidence=fact.confidence)
