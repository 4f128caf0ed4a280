"""Build candidates from the matches of rows: one builder per kind of slot, for every language."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.slots.slot_patterns import LanguageWords
from snapshots.understanding.slots.value_checks import (
    CHECKS,
    build_quantity,
    find_age_range,
    find_category,
    has_chinese,
    is_activity,
    is_name,
    is_phone,
    is_short,
    is_standalone,
    parse_number,
    split_list,
    split_unit,
    trim_value,
)
from snapshots.understanding.values import (
    Candidate,
    CandidateSort,
    CandidateValue,
    Evidence,
    FactCandidate,
    FactMode,
    MeasuredValue,
    PreferenceCandidate,
    TagCandidate,
)

CONFIDENCE = 0.9
_NOT_A_KEY = re.compile(r"[^\w]+")
_LONGEST_KEY_WORDS = 3


@dataclass(frozen=True, slots=True)
class RowMatch:
    """The match of a row in the user's own words. ``values`` holds the named groups and the row's fixed values."""

    values: Mapping[str, str]
    words: LanguageWords
    context: str
    statement: str
    evidence: Evidence
    sort: CandidateSort
    confidence: float
    about: TagCandidate | None = None

    def get_value(self, name: str) -> str | None:
        """Return the value of a group without articles and marks around it; None where nothing was said."""
        said = self.values.get(name)
        if not said:
            return None
        return trim_value(said, self.words)[1] or None


Builder = Callable[["SlotTarget", RowMatch], Iterator[Candidate]]


@dataclass(frozen=True, slots=True)
class SlotTarget:
    """Where a value goes (field or key, category) and how it is checked (a name of ``CHECKS``)."""

    build: Builder
    name: str = ""
    category: str = ""
    check: str = "any"
    sort: CandidateSort = "explicit"
    mode: FactMode = "overwrite"
    # The list or pattern of its entries, where one phrase may hold several.
    entries: str = ""
    # Whether "today" or "this week" anywhere in the sentence silences it, or only in its own clause.
    of_the_sentence: bool = False


def build_fact(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    value = match.get_value("value")
    if slot.mode == "append":
        yield from _build_list_entries(slot, match)
    elif value and CHECKS[slot.check](value, match.words):
        value = value.upper() if slot.name == "mbti" else value
        name = "country" if slot.name == "city" and match.words.is_in_list("countries", value) else slot.name
        yield FactCandidate(name, value, match.evidence, confidence=match.confidence)


def _build_list_entries(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    value = next((match.values[name] for name in ("value", "thing") if match.values.get(name)), "")
    finder = match.words.find_pattern(slot.entries)
    entries = [one.group() for one in finder.finditer(value)] if finder else [value]
    for entry in dict.fromkeys(entries):
        if CHECKS[slot.check](entry, match.words):
            yield FactCandidate(slot.name, entry, match.evidence, mode="append", confidence=match.confidence)


def build_age(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    value = match.get_value("value") or ""
    years = parse_number(value, match.words)
    if years is not None and CHECKS[slot.check](value, match.words):
        yield FactCandidate("age", value, match.evidence, confidence=match.confidence)
        yield FactCandidate("age_range", find_age_range(years), match.evidence, confidence=match.confidence)


def build_job(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield an occupation and, only beside one, an employer: "a nurse at Northwind", not "a guest at Northwind"."""
    occupation, employer = match.get_value("occupation"), match.get_value("employer")
    if occupation and CHECKS[slot.check](occupation, match.words):
        yield FactCandidate("occupation", occupation, match.evidence, confidence=match.confidence)
        learns = match.words.is_in_list("learners", occupation.split()[-1])
        if employer and not learns and CHECKS["proper"](employer, match.words):
            yield FactCandidate("employer", employer, match.evidence, confidence=match.confidence)


def build_lists(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield the entries of a list (likes, dislikes, avoid, allergies), one candidate per category. A liked activity is
    an interest."""
    by_category: dict[str, list[str]] = {}
    for entry in _split_entries(match, slot.check):
        if slot.name == "interests" or (slot.name == "likes" and is_activity(entry, match.words)):
            yield FactCandidate("interests", entry, match.evidence, mode="append", confidence=match.confidence)
            continue
        fallback = slot.category or "general"
        category = match.values.get("category") or find_category(entry, match.words, default=fallback)
        if slot.name == "allergies" or (slot.name == "avoid" and category == "food"):
            told = match.words.is_in_list if slot.name == "avoid" else match.words.contains_any
            category = "health" if told("health_allergens", entry) else "food"
        by_category.setdefault(category, []).append(entry)
    for category, entries in by_category.items():
        yield _build_preference_candidate(match, (category, slot.name), tuple(dict.fromkeys(entries)), mode_add=True)


def build_preference(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    value = match.get_value("value")
    if value and CHECKS[slot.check](value, match.words):
        category = match.values.get("category") or slot.category
        yield _build_preference_candidate(match, (category, match.values.get("key") or slot.name), value)


def build_favourite(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield ``favourite_<thing>``; the thing decides the category, else the value."""
    thing, named = match.get_value("thing"), match.values.get("value") or ""
    # The "The" of a name stays.
    value = trim_value(named, match.words, article="article_of_thing")[1] or None
    if not thing or not value or not CHECKS[slot.check](value, match.words):
        return
    category = find_category(thing, match.words, default=find_category(value, match.words))
    key = _make_thing_key(thing, match.words)
    # "My favourite mug is broken": of some things only a name is a favourite.
    if key and (match.words.is_in_list("favourites", thing.split()[-1]) or CHECKS["proper"](value, match.words)):
        yield _build_preference_candidate(match, (category, f"favourite_{key}"), value)


def build_setting(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield a device setting: a number with its unit, or a level ("low"). The category is the place of the device by
    the words of the sentence: ``vehicle``, ``home``, else the row's."""
    key = match.values.get("key") or slot.name
    value = match.get_value("value")
    if not value:
        return
    value, unit = split_unit(value, match.values.get("unit") or "", match.words)
    number = parse_number(value, match.words)
    held: CandidateValue | None = value if number is None else build_quantity(number, unit, match.words, key=key)
    if held is None or (number is None and not match.words.is_in_list("levels", value)):
        return
    yield _build_preference_candidate(match, (_choose_setting_category(match, slot.category), key), held)


def build_named_setting(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield a setting of a named thing, a number with its unit: "my tyres should be at 34 psi"."""
    value, thing = match.get_value("value") or "", match.get_value("thing") or ""
    number, unit = parse_number(value, match.words), (match.values.get("unit") or "").strip()
    key = _make_thing_key(thing, match.words)
    if number is None or not unit or not key or not is_standalone(thing, match.words):
        return
    known = build_quantity(number, unit, match.words, key=key)
    if known is not None:
        # "degrees" alone: of what is no room, the scale cannot be told by the size.
        held = known if known.unit else MeasuredValue(number, "°")
        yield _build_preference_candidate(
            match, (_choose_setting_category(match, find_category(thing, match.words)), key), held
        )


def build_limit(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield ``<thing>_limit``, or ``budget_limit`` where no thing is named."""
    value = match.get_value("value") or match.get_value("company")
    if not value or not is_short(value):
        return
    thing = match.get_value("thing")
    key = match.values.get("key") or (f"{_make_thing_key(thing, match.words)}_limit" if thing else "budget_limit")
    if key == "_limit" or (thing and not is_standalone(thing, match.words)):
        return
    category = match.values.get("category") or (find_category(thing, match.words) if thing else "general")
    yield _build_preference_candidate(match, (category, key), value)


def build_place(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    address, label = match.get_value("value"), match.values.get("label") or match.get_value("thing")
    if not (address and label) or not CHECKS[slot.check](address, match.words):
        return
    if not is_standalone(label, match.words):
        return
    yield TagCandidate(
        _make_plain_label(label, match.words), "place", match.evidence, address=address, confidence=match.confidence
    )


def build_pet(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    animal, name = match.get_value("animal"), match.get_value("name")
    if not animal or any(not is_name(one, match.words) for _, one in split_list(name or "", match.words) if one):
        return
    several = len(animal.split()) > 1 and match.words.is_in_list("counts", animal.split()[0])
    between = "" if has_chinese(animal) else ", " if several else " "
    value = f"{animal}{between}{name}" if name else animal
    yield FactCandidate(slot.name, value, match.evidence, mode="append", confidence=match.confidence)


def build_contact(slot: SlotTarget, match: RowMatch) -> Iterator[Candidate]:
    """Yield a contact: relation, name, phone, address, as far as they were said.

    The label is the relation where one has only one of it ("wife", "dentist"), else the name; the other is an alias.
    When only a number is said, the row gives the usual relation (``usual``).
    """
    name, phone, address = match.get_value("name"), match.get_value("phone"), match.get_value("address")
    relation = match.values.get("relation")
    relation = _make_plain_label(relation, match.words) if relation else None
    if (name and not is_name(name, match.words)) or (phone and not is_phone(phone, match.words)):
        return
    if address and not CHECKS["address"](address, match.words):
        return
    if match.about is not None and not (name or relation):
        yield replace(match.about, evidence=match.evidence, phone=phone, address=address)
        return
    is_by_relation = relation and (match.words.is_in_list("one_of", relation) or not name)
    label = match.values.get("label") or (relation if is_by_relation else name) or match.values.get("usual")
    if not label or not (name or phone or address):
        return
    yield TagCandidate(
        label,
        "contact",
        match.evidence,
        address=address,
        phone=phone,
        relation=relation,
        aliases=(name,) if name and name != label else (),
        confidence=match.confidence,
    )


def _split_entries(match: RowMatch, check: str) -> Iterator[str]:
    value = match.values.get("value") or match.values.get("thing") or ""
    for _, entry in split_list(value, match.words, by_commas=match.values.get("list") == "commas"):
        whole = trim_value(entry, match.words, article="article_of_thing" if check == "liked" else "article")[1]
        if not whole or not CHECKS[check](whole, match.words):
            return
        yield whole


def _choose_setting_category(match: RowMatch, default: str) -> str:
    for place in ("vehicle", "home"):
        if match.words.contains_any(f"{place}_words", match.context):
            return place
    return match.values.get("category") or default


def _make_thing_key(thing: str, words: LanguageWords) -> str:
    """Return ``thing`` as part of an ASCII key: lower case, "_" for blanks; "" when it is too long or has no English
    word here."""
    told = fold_for_matching(_make_plain_label(thing, words)).lower()
    if len(told.split()) > _LONGEST_KEY_WORDS:
        return ""
    told = " ".join(words.keys.get(word, word) for word in told.split())
    return _NOT_A_KEY.sub("_", told).strip("_") if told.isascii() else ""


def _make_plain_label(text: str, words: LanguageWords) -> str:
    """Return ``text`` as a label: in small letters unless it is a name, "mum" for "my mum's"."""
    finder = words.find_pattern("possessive")
    shown = trim_value(text, words)[1]
    return finder.sub("", shown).strip() if finder else shown


def _build_preference_candidate(
    match: RowMatch, place: tuple[str, str], value: CandidateValue, *, mode_add: bool = False
) -> PreferenceCandidate:
    return PreferenceCandidate(
        category=place[0],
        key=place[1],
        value=value,
        statement=match.statement,
        mode="add" if mode_add else "set",
        sort=match.sort,
        evidence=match.evidence,
        confidence=match.confidence,
    )


SLOTS: dict[str, SlotTarget] = {
    "name": SlotTarget(build_fact, "name", check="name"),
    "occupation": SlotTarget(build_fact, "occupation", check="occupation"),
    "job": SlotTarget(build_job, check="occupation"),
    "work_as": SlotTarget(build_fact, "occupation", check="any"),
    "employer": SlotTarget(build_fact, "employer", check="proper"),
    "city": SlotTarget(build_fact, "city", check="place"),
    "hometown": SlotTarget(build_fact, "hometown", check="place"),
    "age": SlotTarget(build_age, check="age"),
    "age_of": SlotTarget(build_age, check="years"),
    "workplace": SlotTarget(build_fact, "workplace", check="said"),
    "birthday": SlotTarget(build_fact, "birthday", check="said"),
    "languages": SlotTarget(build_fact, "languages", check="said", mode="append", entries="languages"),
    "conditions": SlotTarget(build_fact, "conditions", check="said", mode="append", entries="complaints"),
    "medication": SlotTarget(build_fact, "medication", check="said", mode="append", entries="medicines"),
    "mbti": SlotTarget(build_fact, "mbti", check="said"),
    "timezone": SlotTarget(build_fact, "timezone", check="said"),
    "city_any_case": SlotTarget(build_fact, "city", check="said"),
    "phone": SlotTarget(build_fact, "phone", check="phone"),
    "pets": SlotTarget(build_pet, "pets"),
    "car": SlotTarget(build_fact, "car", check="said"),
    "interests": SlotTarget(build_lists, "interests", check="pastime"),
    "likes": SlotTarget(build_lists, "likes", check="liked"),
    "likes_known": SlotTarget(build_lists, "likes", check="known"),
    "dislikes": SlotTarget(build_lists, "dislikes", check="thing"),
    "avoid_food": SlotTarget(build_lists, "avoid", check="food", sort="constraint", of_the_sentence=True),
    "avoid": SlotTarget(build_lists, "avoid", check="avoidable", sort="constraint", of_the_sentence=True),
    "allergies": SlotTarget(build_lists, "allergies", category="food", check="allergen", sort="constraint"),
    "diet": SlotTarget(build_preference, "diet", category="food", check="said", sort="constraint"),
    "favourite": SlotTarget(build_favourite, check="favourite"),
    "preference": SlotTarget(build_preference, check="any", of_the_sentence=True),
    "style": SlotTarget(build_preference, category="answer", check="said", sort="constraint", of_the_sentence=True),
    "setting": SlotTarget(build_setting, "temperature", category="climate", of_the_sentence=True),
    "setting_of": SlotTarget(build_named_setting, of_the_sentence=True),
    "limit": SlotTarget(build_limit, check="said", sort="constraint", of_the_sentence=True),
    "place": SlotTarget(build_place, check="address"),
    "contact": SlotTarget(build_contact),
    "person": SlotTarget(build_contact),
}
