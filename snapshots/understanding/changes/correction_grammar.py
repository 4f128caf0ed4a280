import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("data") / "correction_grammar.toml"
_EDGES = " \t,.!;:?'\"。,"


@dataclass(frozen=True, slots=True)
class CorrectionGrammar:
    """The patterns of one language in ``correction_grammar.toml``; the fields have its names."""

    idle: re.Pattern[str]
    momentary: re.Pattern[str]
    lasting: re.Pattern[str]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    right: re.Pattern[str]
    and_not: re.Pattern[str]
    strong: re.Pattern[str]
    lead: re.Pattern[str]
    tail: re.Pattern[str]
    frees: re.Pattern[str]
    tells: re.Pattern[str]
    switch: re.Pattern[str]
    measure: re.Pattern[str]
    empty: re.Pattern[str]
    lifts: Mapping[str, re.Pattern[str]]

    def is_denied(self, form: str, start: int, end: int) -> bool:
        said, rest = form[:start], form[end:]
        if self.right.search(said) or self.and_not.match(rest):
            return False
        return self.before.search(said) is not None or self.behind.match(rest) is not None

    def strip_lead_and_tail(self, words: str) -> str:
        words = words.strip(_EDGES)
        found = self.lead.match(words)
        return self.tail.sub("", words[found.end() :] if found else words).strip(_EDGES)


@cache
def load_grammar(language: str) -> CorrectionGrammar:
    table = _load_file()[language]
    lifts = {name: _compile_lines(pattern) for name, pattern in table["lifts"].items()}
    return CorrectionGrammar(**{name: _compile_lines(table[name]) for name in table if name != "lifts"}, lifts=lifts)


@cache
def _load_file() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def _compile_lines(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(pattern.splitlines()), re.IGNORECASE)


CUE = _compile_lines(_load_file()["cue"])
