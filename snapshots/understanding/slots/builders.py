"""Build candidates from the matches of rows: one builder per kind of slot, for every language."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.slots.lexicon import Words
from snapshots.understanding.slots.values import (
    CHECKS,
    age_range_of,
    category_of,
    is_activity,
    is_any,
    is_chinese,
    is_name,
    is_phone,
    is_short,
    number_of,
    quantity_of,
    split_list,
    split_unit,
    trim,
)
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    FactMode,
    PreferenceCandidate,
    ProfileFact,
    Quantity,
    Sort,
    TagCandidate,
    Value,
)

CONFIDENCE = 0.9
_NOT_A_KEY = re.compile(r"[^\w]+")
_LONGEST_KEY_WORDS = 3


@dataclass(frozen=True, slots=True)
class Said:
    """The match of a row in the user's own words. ``values`` holds the named groups and the row's fixed values."""

    values: Mapping[str, str]
    words: Words
    context: str
    statement: str
    evidence: Evidence
    sort: Sort
    confidence: float
    about: TagCandidate | None = None

    def get(self, name: str) -> str | None:
        """Return the value of a group without articles and marks around it; None where nothing was said."""
        said = self.values.get(name)
        if not said:
            return None
        return trim(said, self.words)[1] or None

    def get_thing(self, name: str) -> str | None:
        """Return the value of a group; the "The" of a name stays."""
        return trim(self.values.get(name) or "", self.words, article="article_of_thing")[1] or None


Builder = Callable[["Slot", Said], Iterator[Candidate]]


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value goes (field or key, category) and how it is checked (a name of ``CHECKS``)."""

    build: Builder
    name: str = ""
    category: str = ""
    check: str = "any"
    sort: Sort = "explicit"
    mode: FactMode = "overwrite"
    # The list or pattern of its entries, where one phrase may hold several.
    entries: str = ""
    # Whether "today" or "this week" anywhere in the sentence silences it, or only in its own clause.
    of_the_sentence: bool = False


def build_fact(slot: Slot, said: Said) -> Iterator[Candidate]:
    value = said.get("value")
    if slot.mode == "append":
        yield from _appended(slot, said)
    elif value and CHECKS[slot.check](value, said.words):
        value = value.upper() if slot.name == "mbti" else value
        name = "country" if slot.name == "city" and said.words.has("countries", value) else slot.name
        yield ProfileFact(name, value, said.evidence, confidence=said.confidence)


def _appended(slot: Slot, said: Said) -> Iterator[Candidate]:
    value = next((said.values[name] for name in ("value", "thing") if said.values.get(name)), "")
    finder = said.words.finder(slot.entries)
    entries = [one.group() for one in finder.finditer(value)] if finder else [value]
    for entry in dict.fromkeys(entries):
        if CHECKS[slot.check](entry, said.words):
            yield ProfileFact(slot.name, entry, said.evidence, mode="append", confidence=said.confidence)


def build_age(slot: Slot, said: Said) -> Iterator[Candidate]:
    value = said.get("value") or ""
    years = number_of(value, said.words)
    if years is not None and CHECKS[slot.check](value, said.words):
        yield ProfileFact("age", value, said.evidence, confidence=said.confidence)
        yield ProfileFact("age_range", age_range_of(years), said.evidence, confidence=said.confidence)


def build_job(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield an occupation and, only beside one, an employer: "a nurse at Northwind", not "a guest at Northwind"."""
    occupation, employer = said.get("occupation"), said.get("employer")
    if occupation and CHECKS[slot.check](occupation, said.words):
        yield ProfileFact("occupation", occupation, said.evidence, confidence=said.confidence)
        learns = said.words.has("learners", occupation.split()[-1])
        if employer and not learns and CHECKS["proper"](employer, said.words):
            yield ProfileFact("employer", employer, said.evidence, confidence=said.confidence)


def build_entries(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield the entries of a list (likes, dislikes, avoid, allergies), one candidate per category.

    A liked activity is an interest.
    """
    by_category: dict[str, list[str]] = {}
    for entry in _entries_of(said, slot.check):
        if slot.name == "interests" or (slot.name == "likes" and is_activity(entry, said.words)):
            yield ProfileFact("interests", entry, said.evidence, mode="append", confidence=said.confidence)
            continue
        fallback = slot.category or "general"
        category = said.values.get("category") or category_of(entry, said.words, default=fallback)
        if slot.name == "allergies" or (slot.name == "avoid" and category == "food"):
            told = said.words.has if slot.name == "avoid" else said.words.holds_any
            category = "health" if told("health_allergens", entry) else "food"
        by_category.setdefault(category, []).append(entry)
    for category, entries in by_category.items():
        yield _preference(said, (category, slot.name), tuple(dict.fromkeys(entries)), mode_add=True)


def build_preference(slot: Slot, said: Said) -> Iterator[Candidate]:
    value = said.get("value")
    if value and CHECKS[slot.check](value, said.words):
        category = said.values.get("category") or slot.category
        yield _preference(said, (category, said.values.get("key") or slot.name), value)


def build_favourite(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield ``favourite_<thing>``; the thing decides the category, else the value."""
    thing, value = said.get("thing"), said.get_thing("value")
    if not thing or not value or not CHECKS[slot.check](value, said.words):
        return
    category = category_of(thing, said.words, default=category_of(value, said.words))
    key = _key_of(thing, said.words)
    # "My favourite mug is broken": of some things only a name is a favourite.
    if key and (said.words.has("favourites", thing.split()[-1]) or CHECKS["proper"](value, said.words)):
        yield _preference(said, (category, f"favourite_{key}"), value)


def build_setting(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield a device setting: a number with its unit, or a level ("low").

    The category is the place of the device by the words of the sentence: ``vehicle``, ``home``, else the row's.
    """
    key = said.values.get("key") or slot.name
    value = said.get("value")
    if not value:
        return
    value, unit = split_unit(value, said.values.get("unit") or "", said.words)
    number = number_of(value, said.words)
    held: Value | None = value if number is None else quantity_of(number, unit, said.words, key=key)
    if held is None or (number is None and not said.words.has("levels", value)):
        return
    yield _preference(said, (_place_of(said, slot.category), key), held)


def build_named_setting(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield a setting of a named thing, a number with its unit: "my tyres should be at 34 psi"."""
    value, thing = said.get("value") or "", said.get("thing") or ""
    number, unit = number_of(value, said.words), (said.values.get("unit") or "").strip()
    key = _key_of(thing, said.words)
    if number is None or not unit or not key or not is_any(thing, said.words):
        return
    known = quantity_of(number, unit, said.words, key=key)
    if known is not None:
        # "degrees" alone: of what is no room, the scale cannot be told by the size.
        held = known if known.unit else Quantity(number, "°")
        yield _preference(said, (_place_of(said, category_of(thing, said.words)), key), held)


def build_limit(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield ``<thing>_limit``, or ``budget_limit`` where no thing is named."""
    value = said.get("value") or said.get("company")
    if not value or not is_short(value):
        return
    thing = said.get("thing")
    key = said.values.get("key") or (f"{_key_of(thing, said.words)}_limit" if thing else "budget_limit")
    if key == "_limit" or (thing and not is_any(thing, said.words)):
        return
    category = said.values.get("category") or (category_of(thing, said.words) if thing else "general")
    yield _preference(said, (category, key), value)


def build_place(slot: Slot, said: Said) -> Iterator[Candidate]:
    address, label = said.get("value"), said.values.get("label") or said.get("thing")
    if not (address and label) or not CHECKS[slot.check](address, said.words):
        return
    if not is_any(label, said.words):
        return
    yield TagCandidate(_plain(label, said.words), "place", said.evidence, address=address, confidence=said.confidence)


def build_pets(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield a pet: its kind and, where it was said, its name."""
    animal, name = said.get("animal"), said.get("name")
    if not animal or any(not is_name(one, said.words) for _, one in split_list(name or "", said.words) if one):
        return
    several = len(animal.split()) > 1 and said.words.has("counts", animal.split()[0])
    between = "" if is_chinese(animal) else ", " if several else " "
    value = f"{animal}{between}{name}" if name else animal
    yield ProfileFact(slot.name, value, said.evidence, mode="append", confidence=said.confidence)


def build_contact(slot: Slot, said: Said) -> Iterator[Candidate]:
    """Yield a contact: relation, name, phone, address, as far as they were said.

    The label is the relation where one has only one of it ("wife", "dentist"), else the name; the other is an alias.
    When only a number is said, the row gives the usual relation (``usual``).
    """
    name, phone, address = said.get("name"), said.get("phone"), said.get("address")
    relation = said.values.get("relation")
    relation = _plain(relation, said.words) if relation else None
    if (name and not is_name(name, said.words)) or (phone and not is_phone(phone, said.words)):
        return
    if address and not CHECKS["address"](address, said.words):
        return
    if said.about is not None and not (name or relation):
        yield replace(said.about, evidence=said.evidence, phone=phone, address=address)
        return
    is_by_relation = relation and (said.words.has("one_of", relation) or not name)
    label = said.values.get("label") or (relation if is_by_relation else name) or said.values.get("usual")
    if not label or not (name or phone or address):
        return
    yield TagCandidate(
        label,
        "contact",
        said.evidence,
        address=address,
        phone=phone,
        relation=relation,
        aliases=(name,) if name and name != label else (),
        confidence=said.confidence,
    )


def _entries_of(said: Said, check: str) -> Iterator[str]:
    value = said.values.get("value") or said.values.get("thing") or ""
    for _, entry in split_list(value, said.words, by_commas=said.values.get("list") == "commas"):
        whole = trim(entry, said.words, article="article_of_thing" if check == "liked" else "article")[1]
        if not whole or not CHECKS[check](whole, said.words):
            return
        yield whole


def _place_of(said: Said, default: str) -> str:
    for place in ("vehicle", "home"):
        if said.words.holds_any(f"{place}_words", said.context):
            return place
    return said.values.get("category") or default


def _key_of(thing: str, words: Words) -> str:
    """Return ``thing`` as part of an ASCII key: lower case, "_" for blanks; "" when it is too long or has no English
    word here."""
    told = matching_form(_plain(thing, words)).lower()
    if len(told.split()) > _LONGEST_KEY_WORDS:
        return ""
    told = " ".join(words.keys.get(word, word) for word in told.split())
    return _NOT_A_KEY.sub("_", told).strip("_") if told.isascii() else ""


def _plain(text: str, words: Words) -> str:
    """Return ``text`` as a label: in small letters unless it is a name, "mum" for "my mum's"."""
    finder = words.finder("possessive")
    shown = trim(text, words)[1]
    return finder.sub("", shown).strip() if finder else shown


def _preference(said: Said, place: tuple[str, str], value: Value, *, mode_add: bool = False) -> PreferenceCandidate:
    return PreferenceCandidate(
        category=place[0],
        key=place[1],
        value=value,
        statement=said.statement,
        mode="add" if mode_add else "set",
        sort=said.sort,
        evidence=said.evidence,
        confidence=said.confidence,
    )


SLOTS: dict[str, Slot] = {
    "name": Slot(build_fact, "name", check="name"),
    "occupation": Slot(build_fact, "occupation", check="occupation"),
    "job": Slot(build_job, check="occupation"),
    "work_as": Slot(build_fact, "occupation", check="any"),
    "employer": Slot(build_fact, "employer", check="proper"),
    "city": Slot(build_fact, "city", check="place"),
    "hometown": Slot(build_fact, "hometown", check="place"),
    "age": Slot(build_age, check="age"),
    "age_of": Slot(build_age, check="years"),
    "workplace": Slot(build_fact, "workplace", check="said"),
    "birthday": Slot(build_fact, "birthday", check="said"),
    "languages": Slot(build_fact, "languages", check="said", mode="append", entries="languages"),
    "conditions": Slot(build_fact, "conditions", check="said", mode="append", entries="complaints"),
    "medication": Slot(build_fact, "medication", check="said", mode="append", entries="medicines"),
    "mbti": Slot(build_fact, "mbti", check="said"),
    "timezone": Slot(build_fact, "timezone", check="said"),
    "city_any_case": Slot(build_fact, "city", check="said"),
    "phone": Slot(build_fact, "phone", check="phone"),
    "pets": Slot(build_pets, "pets"),
    "car": Slot(build_fact, "car", check="said"),
    "interests": Slot(build_entries, "interests", check="pastime"),
    "likes": Slot(build_entries, "likes", check="liked"),
    "likes_known": Slot(build_entries, "likes", check="known"),
    "dislikes": Slot(build_entries, "dislikes", check="thing"),
    "avoid_food": Slot(build_entries, "avoid", check="food", sort="constraint", of_the_sentence=True),
    "avoid": Slot(build_entries, "avoid", check="avoidable", sort="constraint", of_the_sentence=True),
    "allergies": Slot(build_entries, "allergies", category="food", check="allergen", sort="constraint"),
    "diet": Slot(build_preference, "diet", category="food", check="said", sort="constraint"),
    "favourite": Slot(build_favourite, check="favourite"),
    "preference": Slot(build_preference, check="any", of_the_sentence=True),
    "style": Slot(build_preference, category="answer", check="said", sort="constraint", of_the_sentence=True),
    "setting": Slot(build_setting, "temperature", category="climate", of_the_sentence=True),
    "setting_of": Slot(build_named_setting, of_the_sentence=True),
    "limit": Slot(build_limit, check="said", sort="constraint", of_the_sentence=True),
    "place": Slot(build_place, check="address"),
    "contact": Slot(build_contact),
    "person": Slot(build_contact),
}
