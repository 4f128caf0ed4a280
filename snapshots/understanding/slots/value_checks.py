"""Checks that keep torn, vague and foreign words out of slots. They know no language: their word lists stand in
``words.toml``."""

import re
from collections.abc import Callable, Iterator

from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.slots.slot_patterns import LanguageWords
from snapshots.understanding.values import MeasuredValue

LONGEST_WORDS = 6
LONGEST_CHARACTERS_ZH = 12
LONGEST_ADDRESS = 80
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*", re.UNICODE)
_NAME_EN = re.compile(
    r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'’-]*(?:\.)?(?: (?:van|von|de|da|del|bin|al|la|le|der|den|di|O'|Mc)){0,2}"
    r"(?: [A-Z][\w'’-]*\.?){0,2}"
)
_NUMBER = re.compile(r"\d{1,6}(?:[.,]\d{1,3})?")
_PHONE_DIGITS = range(3, 16)
_AGES = range(5, 110)
# The brackets of population surveys: years, both ends included. Above the last one: "65+".
_AGE_RANGES = ((0, 12), (13, 17), (18, 24), (25, 34), (35, 44), (45, 54), (55, 64))
_CELSIUS = (12, 35)
_FAHRENHEIT = (45, 95)


def has_chinese(text: str) -> bool:
    return _HAN.search(text) is not None


def is_short(value: str, *, longest: int = LONGEST_WORDS) -> bool:
    if _HAN.search(value):
        return len(value) <= LONGEST_CHARACTERS_ZH
    return 0 < len(value.split()) <= longest


def is_whole(value: str, words: LanguageWords) -> bool:
    """Return whether ``value`` names something by itself: no pronoun in it, no loose word at either end."""
    told = _WORD.findall(value)
    if not told or (len(value) == 1 and not _HAN.match(value)):
        return False
    if words.is_in_list("never_first", told[0]) or words.is_in_list("never_last", told[-1]):
        return False
    return not words.contains_any("never_inside", value)


def is_thing(value: str, words: LanguageWords) -> bool:
    if value[0].isdigit():
        return False
    return is_short(value) and is_whole(value, words) and not words.contains_any("no_thing", value)


def is_name(value: str, words: LanguageWords) -> bool:
    if _HAN.search(value):
        finder = words.find_pattern("name_shape")
        shaped = finder is not None and finder.fullmatch(fold_for_matching(value)) is not None
        return shaped and not words.is_in_list("no_name", value)
    told = _WORD.findall(value)
    if any(words.is_in_list("no_name", one) or words.is_in_list("no_person", one) for one in told) or (
        len(told) == 1 and words.contains_any("no_name_shape", value)
    ):
        return False
    return _NAME_EN.fullmatch(value) is not None


def is_proper_name(value: str, words: LanguageWords) -> bool:
    if _HAN.search(value):
        return is_short(value) and is_whole(value, words)
    told = value.split()
    if (
        not 0 < len(told) <= LONGEST_WORDS
        or words.is_in_list("no_name", value)
        or words.is_in_list("joiners", told[-1])
    ):
        return False
    return all(one[0].isupper() or one[0].isdigit() or words.is_in_list("joiners", one) for one in told)


def is_place_name(value: str, words: LanguageWords) -> bool:
    shape = words.find_pattern("place_shape")
    if shape is not None:
        return shape.fullmatch(fold_for_matching(value)) is not None
    if words.is_in_list("cities", value):
        return True
    return is_proper_name(value, words) and not any(words.is_in_list("no_place", one) for one in _WORD.findall(value))


def is_occupation(value: str, words: LanguageWords) -> bool:
    """Return whether ``value`` ends with an occupation and nothing before it makes it a judgement."""
    if _HAN.search(value):
        return is_short(value) and words.contains_any("occupations", value)
    told = _WORD.findall(value.lower())
    head = next((told[n:] for n in range(len(told)) if words.is_in_list("occupations", " ".join(told[n:]))), None)
    if head is None or not is_short(value, longest=5):
        return False
    return not any(words.is_in_list("no_occupation", one) for one in told)


def is_phone(value: str, words: LanguageWords) -> bool:
    return sum(map(str.isdigit, value)) in _PHONE_DIGITS


def is_address(value: str, words: LanguageWords) -> bool:
    if len(value) > LONGEST_ADDRESS or value.lower().startswith("not "):
        return False
    if _HAN.search(value):
        return words.contains_any("address_shape", value)
    return any(map(str.isdigit, value)) and words.contains_any("address_words", value)


def find_age_range(years: float) -> str:
    return next((f"{low}-{high}" for low, high in _AGE_RANGES if years <= high), "65+")


def is_standalone(value: str, words: LanguageWords) -> bool:
    return is_short(value) and is_whole(value, words)


def can_be_liked(value: str, words: LanguageWords) -> bool:
    if words.is_in_list("no_favourite_value", value) or words.contains_any("timed", value):
        return False
    return is_thing(value, words) and not words.contains_any("unloved", value)


def is_activity(value: str, words: LanguageWords) -> bool:
    finder = words.find_pattern("activity")
    return finder is not None and finder.match(fold_for_matching(value)) is not None


def is_avoidable(value: str, words: LanguageWords) -> bool:
    """Return whether ``value`` can be avoided at all times: not "coffee after three"."""
    return is_thing(value, words) and not words.contains_any("conditions", value)


def is_food(value: str, words: LanguageWords) -> bool:
    known = find_category(value, words) == "food" or words.contains_any("health_allergens", value)
    return known and is_avoidable(value, words)


def can_be_favourite(value: str, words: LanguageWords) -> bool:
    """Return whether ``value`` names a thing, and not a state ("broken")."""
    return is_thing(value, words) and not any(
        words.is_in_list("no_favourite_value", one) for one in _WORD.findall(value)
    )


def is_known_thing(value: str, words: LanguageWords) -> bool:
    """Return whether ``value`` can be liked and has a category: "a tea person", not "a morning person"."""
    return can_be_liked(value, words) and find_category(value, words, default="") != ""


def can_be_allergen(value: str, words: LanguageWords) -> bool:
    return is_short(value, longest=3) and is_thing(value, words) and not words.contains_any("no_allergy", value)


CHECKS: dict[str, Callable[[str, LanguageWords], bool]] = {
    "any": is_standalone,
    "thing": is_thing,
    "liked": can_be_liked,
    "known": is_known_thing,
    "avoidable": is_avoidable,
    "food": is_food,
    "pastime": lambda value, words: (
        is_known_thing(value, words) or (can_be_liked(value, words) and is_activity(value, words))
    ),
    "favourite": can_be_favourite,
    "allergen": can_be_allergen,
    "name": is_name,
    "proper": is_proper_name,
    "place": is_place_name,
    "occupation": is_occupation,
    "phone": is_phone,
    "address": is_address,
    "age": lambda value, words: parse_number(value, words) in _AGES,
    "years": lambda value, words: parse_number(value, words) in range(_AGES.stop),
    "said": lambda value, words: is_short(value),
}


def split_list(value: str, words: LanguageWords, *, by_commas: bool = False) -> Iterator[tuple[int, str]]:
    """Yield (offset, entry) of each entry of a list: "peanuts, shellfish and eggs"; fixed phrases stay together. With
    ``by_commas`` commas alone make a list, too."""
    joined = words.find_pattern("joined")
    if joined and joined.fullmatch(value):
        yield 0, value
        return
    splitter, conjunction = words.find_pattern("list_split"), words.find_pattern("list_and")
    # A comma goes on with the list only before its last "and": what follows "peanuts, " alone may be anything.
    form = fold_for_matching(value)
    last = max((found.end() for found in conjunction.finditer(form)), default=0) if conjunction else 0
    comma = value.find(",", last)
    value = value if comma < 0 or by_commas else value[:comma]
    start = 0
    for found in splitter.finditer(form[: len(value)]) if splitter else ():
        yield start, value[start : found.start()]
        start = found.end()
    yield start, value[start:]


def trim_value(value: str, words: LanguageWords, *, article: str = "article") -> tuple[int, str]:
    """Return (offset, value) without articles (a pattern of that name) before it and marks around it."""
    head = words.find_pattern(article)
    found = head.match(fold_for_matching(value)) if head else None
    start = found.end() if found else 0
    rest = value[start:]
    lead = len(rest) - len(rest.lstrip(" ,.;:!\"'“”‘"))
    return start + lead, rest.strip(" ,.;:!\"“”‘’'")


def parse_number(text: str, words: LanguageWords) -> int | float | None:
    found = _NUMBER.fullmatch(text.strip())
    if found:
        number = float(found.group().replace(",", ""))
        return int(number) if number.is_integer() else number
    parts = re.split(r"[-\s]+", text.strip().lower())
    told = [words.numbers.get(part) for part in parts]
    return None if None in told else sum(one for one in told if one is not None)


def split_unit(value: str, unit: str, words: LanguageWords) -> tuple[str, str]:
    """Return (number, unit) of a bare answer that holds both: "21 degrees"."""
    number = r"\d{1,4}(?:[.,]\d{1,2})?|[一二两三四五六七八九十]{1,3}"
    found = re.match(rf"({number})\s*(\D{{1,20}})$", value) if not unit else None
    return (found[1], found[2]) if found and found[2].strip().lower() in words.units else (value, unit)


def build_quantity(number: int | float, unit_text: str, words: LanguageWords, *, key: str) -> MeasuredValue | None:
    """Return ``number`` with the unit of ``unit_text``; a temperature without a scale gets it by its size."""
    unit = words.units.get(unit_text.strip().lower(), unit_text.strip())
    if key != "temperature":
        return MeasuredValue(number, unit)
    unit = unit or ("°C" if _CELSIUS[0] <= number <= _CELSIUS[1] else "°F")
    low, high = _CELSIUS if unit == "°C" else _FAHRENHEIT
    return MeasuredValue(number, unit) if low <= number <= high else None


def find_category(thing: str, words: LanguageWords, *, default: str = "general") -> str:
    """Return the category of ``thing``, decided by the last word (Chinese: the longest ending) that has one."""
    roads = words.find_pattern("road_names")
    if roads and roads.fullmatch(thing):
        return "navigation"
    if _HAN.search(thing):
        return _find_category_zh(fold_for_matching(thing), words) or default
    told = _WORD.findall(thing.lower().replace("-", " "))
    # "for", "with", "in" end the head: in "cooking for friends" it is "cooking".
    stop = next((n for n, one in enumerate(told) if n and words.is_in_list("after_head", one)), len(told))
    for end in (*range(stop, 0, -1), *range(len(told), stop, -1)):
        for name in (" ".join(told[end - 2 : end]) if end > 1 else "", told[end - 1], told[end - 1].removesuffix("s")):
            if name in words.category_by_word:
                return words.category_by_word[name]
    return default


def _find_category_zh(thing: str, words: LanguageWords) -> str | None:
    for end in range(len(thing), 0, -1):
        for start in range(max(0, end - 5), end):
            if thing[start:end] in words.category_by_word:
                return words.category_by_word[thing[start:end]]
    return None
