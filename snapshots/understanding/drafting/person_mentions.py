"""Find the people and things that a clause is about, by name and relation."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from profiles.services.tags.query_words import split_words
from snapshots.understanding.reading.kin_words import KIN_WORDS
from snapshots.understanding.slots.slot_patterns import LanguageWords, load_language
from snapshots.understanding.slots.value_checks import is_name

_RE = load_patterns(Path(__file__).with_name("person_mentions.toml"), KIN_WORDS)


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """Somebody or something that a clause names. ``relation`` is "" if the clause does not say it."""

    label: str
    relation: str = ""
    is_thing: bool = False


def find_introduced_person(text: str, language: str) -> NamedPerson | None:
    """Return somebody or something that ``text`` introduces by name and relation: "my son Theo", 我朋友张三, "our cat
    Miso"; None for "my wife" alone, which tells nothing that a contact could hold."""
    person = find_person(text, language)
    words = load_language(language).words
    if person is None or person.label in ("", person.relation) or not person.relation:
        return None
    return person if is_name(person.label, words) else None


def find_person(text: str, language: str) -> NamedPerson | None:
    if chain := (_RE["chain_zh"] if language == "zh" else _RE["chain_en"]).search(text):
        label = re.sub(r"^(?:[Mm]y|[Oo]ur)\s", "", chain.group())
        return NamedPerson(label, label)
    if language == "zh":
        if told := _RE["tells_zh"].search(text):
            return find_person(text[told.end() :], language)
        found = _RE["owned_zh"].search(text)
        if found is None:
            return None
        name = found["name"] or _find_chinese_name(text, found.end("what")) or found["what"]
        return NamedPerson(name, found["what"], _RE["chinese_thing"].fullmatch(found["what"]) is not None)
    owned = _RE["owned_en"].search(text)
    if owned is not None:
        what = owned["what"].lower()
        name = re.sub(r"['’]s$", "", owned["name"] or what)
        return NamedPerson(name, what, _RE["thing"].match(what) is not None)
    named = _RE["named_en"].search(text)
    return NamedPerson(named["name"]) if named is not None else None


def opens_with_person(text: str, language: str) -> bool:
    """Return whether a clause begins with somebody of the user's: "my sister got a job", 我妈住在徐汇; not with both:
    "my wife and I"."""
    if language == "zh":
        owned = _RE["owned_zh"].match(text) if text[:1] in "我咱俺" else None
        return (
            owned is not None
            and not _RE["chinese_thing"].fullmatch(owned["what"])
            and not _RE["both"].match(text, owned.end())
        )
    owned = _RE["owned_en"].match(text)
    if owned is None:
        return _RE["named_possessive"].match(text) is not None
    return not _RE["thing"].match(owned["what"].lower()) and not _RE["both"].match(text, owned.end())


def _find_chinese_name(text: str, start: int) -> str:
    words = load_language("zh").words
    found = _name_pattern(words).match(text, start)
    if found is None or not is_name(found["name"], words):
        return ""
    told = split_words(found["name"])
    return found["name"] if len(told) == 1 and told[0].name else ""


@cache
def _name_pattern(words: LanguageWords) -> re.Pattern[str]:
    ends = "[,。!;:是有在住上下今每的过对不喜爱会能最特也都很从做养]|$"
    return re.compile(words.expand(f"叫?(?P<name>{{surname}}{{given}}{{1,2}}?)(?={ends})"))
