"""Load the rows of a language: patterns are data in TOML files; word lists are defined once and interpolated.

This folder's README.md describes the format.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from snapshots.understanding.reading.pattern_filter import PatternFilter, Pieces, compile_with_pieces
from snapshots.understanding.reading.text_folding import fold_for_matching

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "zh")
# Files that are read first: they name the people about whom other files say something.
NAMING = ("name", "people")
# The file that is read last: it leaves slots alone that other files have filled.
GRADED = "graded"
# {words} or {words:group}; the braces of repetitions hold digits and are left alone.
_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")
_DEEPEST = 8


class BadRow(ValueError):
    """An invalid row of a TOML file; the message names its file and says why."""


@dataclass(frozen=True, slots=True, eq=False)
class LanguageWords:
    """The shared ``lists`` of words of a language, and ``patterns`` that are made of them.

    In lists that are one string, words are parted by blanks and "_" stands for a blank inside an entry. Texts are
    looked up in their matching form, so that lists of simplified words know traditional ones.
    """

    lists: Mapping[str, frozenset[str]]
    patterns: Mapping[str, str]
    category_by_word: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    # What the user would say instead of another's verb: (pattern, head), the first that matches.
    as_user: tuple[tuple[str, str], ...] = ()
    # How a thing is called in a key, where not by its own word: one key for "color" and "colour", in all languages.
    keys: Mapping[str, str] = field(default_factory=dict)

    def is_in_list(self, name: str, word: str) -> bool:
        """Return whether ``word`` is in list ``name``, case ignored; an undefined list is empty."""
        return fold_for_matching(word).lower() in self.lists.get(name, frozenset())

    def contains_any(self, name: str, text: str) -> bool:
        found = self.find_pattern(name)
        return found is not None and found.search(fold_for_matching(text)) is not None

    def find_pattern(self, name: str) -> re.Pattern[str] | None:
        return _compile_finder(self, name)

    def expand(self, pattern: str, *, depth: int = 0) -> str:
        """Return ``pattern`` with its placeholders replaced. Raises KeyError for an unknown name."""
        if depth > _DEEPEST:
            raise KeyError("patterns hold each other")

        def replace(match: re.Match[str]) -> str:
            name, group = match[1], match[2]
            body = self.patterns[name] if name in self.patterns else _build_alternation(self.lists[name])
            body = self.expand(body, depth=depth + 1)
            if group and "(?P<value>" in body:
                return body.replace("(?P<value>", f"(?P<{group}>")
            return f"(?P<{group}>{body})" if group else f"(?:{body})"

        return _PLACEHOLDER.sub(replace, pattern)


@dataclass(frozen=True, slots=True, eq=False)
class SlotRow:
    """One way to say something. ``fixed`` holds values that the row gives itself: category, key, label, value."""

    slot: str
    pattern: re.Pattern[str]
    pieces: Pieces
    example: str
    gives: Mapping[str, Any]
    scope: Literal["clause", "sentence"] = "clause"
    fixed: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None
    sort: Literal["explicit", "constraint"] | None = None
    # Exceptions of the row: it may stand in a question, name an old value, or last for a while.
    allow: frozenset[str] = frozenset()
    needs_lasting: bool = False
    # The row has no subject: a sentence that names somebody else may speak of them.
    bare: bool = False
    # Read only in a clause that the reader of clauses finds lasting: what it searches for would say too little alone.
    is_graded: bool = False
    # The row is silent in a sentence that holds this.
    unless: re.Pattern[str] | None = None
    # The row reads clauses about other people only, such as "she works in a bakery".
    of_others: bool = False
    place: str = ""
    # What a clause fills once: a setting by its own key, else by the name of the thing ("setting_of").
    family: str = ""


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """A question of the assistant whose bare answer fills a slot; ``answer``, where given, is the pattern of one."""

    slot: str
    question: re.Pattern[str]
    example_question: str
    example: str
    gives: Mapping[str, Any]
    answer: re.Pattern[str] | None = None
    fixed: Mapping[str, str] = field(default_factory=dict)
    place: str = ""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows of one file."""

    clause_rows: tuple[SlotRow, ...]
    sentence_rows: tuple[SlotRow, ...]


@dataclass(frozen=True, slots=True)
class SlotLanguage:
    """All rows and questions of one language."""

    words: LanguageWords
    groups: tuple[RowGroup, ...]
    asks: tuple[SlotQuestion, ...]
    answer_lead: re.Pattern[str]
    sieve: PatternFilter[SlotRow]


def list_group_rows(groups: Iterable[RowGroup]) -> Iterator[SlotRow]:
    return (row for group in groups for row in group.clause_rows + group.sentence_rows)


def load_languages() -> None:
    """Compile the rows of all languages: 2 s of processor time for the first call of a process, nothing later."""
    for code in LANGUAGES:
        load_language(code)


@cache
def load_language(code: str) -> SlotLanguage:
    """Return the rows of language ``code``, compiled. Raises BadRow."""
    folder = FOLDER / code
    if not (folder / "words.toml").exists():
        nothing = re.compile("")
        return SlotLanguage(LanguageWords({}, {}), (), (), nothing, PatternFilter(()))
    words = _load_words(folder / "words.toml")
    groups, asks = [], []
    for path in sorted(
        folder.glob("*.toml"), key=lambda path: (path.stem not in NAMING, path.stem == GRADED, path.stem)
    ):
        if path.name == "words.toml":
            continue
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        place = f"{code}/{path.name}"
        asked = table.pop("ask", {})
        rows = [_build_row(slot, entry, words, place) for slot, entries in table.items() for entry in entries]
        groups.append(RowGroup(*(tuple(row for row in rows if row.scope == scope) for scope in ("clause", "sentence"))))
        asks += [_build_question(slot, entry, words, place) for slot, entries in asked.items() for entry in entries]
    sieve = PatternFilter((row.pieces, row) for row in list_group_rows(groups))
    return SlotLanguage(words, tuple(groups), tuple(asks), _compile_pattern("{answer_lead}", words, code), sieve)


def _load_words(path: Path) -> LanguageWords:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    lists = {
        name: frozenset(word.lower().replace("_", " ") for word in (value.split() if isinstance(value, str) else value))
        for name, value in table.get("words", {}).items()
    }
    # The lines of a pattern are joined: line breaks in it mean nothing.
    patterns = {name: "".join(map(str.strip, value.splitlines())) for name, value in table["patterns"].items()}
    lists |= {
        name: frozenset(word.replace("_", " ") for word in value.split()) for name, value in table["categories"].items()
    }
    categories = {word.replace("_", " "): name for name, value in table["categories"].items() for word in value.split()}
    tables = {name: table.get(name, {}) for name in ("numbers", "units", "keys")}
    as_user = tuple((pattern, head) for pattern, head in table.get("as_user", ()))
    return LanguageWords(lists, patterns, categories, **tables, as_user=as_user)


def _build_alternation(words: frozenset[str]) -> str:
    # Longest first, so that "sister-in-law" is not read as "sister".
    return "|".join(re.escape(word).replace(r"\ ", " ") for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def _compile_finder(words: LanguageWords, name: str) -> re.Pattern[str] | None:
    if name in words.patterns:
        return re.compile(words.expand(words.patterns[name]), re.IGNORECASE)
    if not words.lists.get(name):
        return None
    edges = ("", "") if any("\u3400" <= word[0] <= "\u9fff" for word in words.lists[name]) else (r"\b", r"\b")
    return re.compile(f"{edges[0]}(?:{_build_alternation(words.lists[name])}){edges[1]}", re.IGNORECASE)


def _compile_pattern(pattern: str, words: LanguageWords, place: str) -> re.Pattern[str]:
    with _name_bad_pattern(pattern, place):
        return re.compile(words.expand(pattern), re.IGNORECASE)


@contextmanager
def _name_bad_pattern(pattern: str, place: str) -> Iterator[None]:
    try:
        yield
    except (KeyError, re.error) as problem:
        raise BadRow(f"{place}: the pattern {pattern!r} cannot be used: {problem}") from problem


_FIXED = ("category", "label", "value", "about", "list", "usual", "unit")
_NEEDED = {"match", "example", "gives"}
_GIVEN = {"scope", "confidence", "sort", "allow", "lasting", "bare", "of_others", "unless", "key", *_FIXED}


def _build_row(slot: str, entry: Mapping[str, Any], words: LanguageWords, place: str) -> SlotRow:
    unknown, missing = set(entry) - _NEEDED - _GIVEN, _NEEDED - set(entry)
    if unknown or missing:
        raise BadRow(f"{place}: {entry.get('match')!r}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}")
    with _name_bad_pattern(entry["match"], place):
        pattern, pieces = compile_with_pieces(words.expand(entry["match"]))
    return SlotRow(
        slot=slot,
        pattern=pattern,
        pieces=pieces,
        example=entry["example"],
        gives=entry["gives"],
        scope=entry.get("scope", "clause"),
        fixed=_read_fixed_values(entry),
        confidence=entry.get("confidence"),
        sort=entry.get("sort"),
        allow=frozenset(entry.get("allow", ())),
        needs_lasting=entry.get("lasting", False),
        bare=entry.get("bare", False),
        of_others=entry.get("of_others", False),
        is_graded=place.endswith(f"/{GRADED}.toml"),
        unless=_compile_pattern(entry["unless"], words, place) if "unless" in entry else None,
        family=slot.removesuffix("_of"),
        place=place,
    )


def _build_question(slot: str, entry: Mapping[str, Any], words: LanguageWords, place: str) -> SlotQuestion:
    question, answer = entry["example"]
    return SlotQuestion(
        slot=slot,
        question=_compile_pattern(entry["question"], words, place),
        example_question=question,
        example=answer,
        gives=entry["gives"],
        answer=_compile_pattern(entry["answer"], words, place) if "answer" in entry else None,
        fixed=_read_fixed_values(entry),
        place=place,
    )


def _read_fixed_values(entry: Mapping[str, Any]) -> dict[str, str]:
    """A row's ``key`` may hold the category, too: "answer/units"."""
    fixed = {name: entry[name] for name in _FIXED if name in entry}
    *category, fixed["key"] = entry.get("key", "").split("/")
    return fixed | ({"category": category[0]} if category else {})
