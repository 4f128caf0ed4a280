"""Find the old value that a sentence names as over and the new one, by the patterns of ``data/ways.toml``."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

WAYS = Path(__file__).with_name("data") / "ways.toml"
# Sides are runs without a mark; Chinese ones are shorter. ``new_at`` begins a sentence or follows a mark or a verb.
_SIDE_PATTERNS = {
    "en": {
        "old": r"(?P<old>[^,;.!?\n]{1,40}?|(?:[A-Z]\w*\. )?[^,;.!?\n]{1,36}?)",
        "new": r"(?P<new>[^,;!?\n]{1,40}?)",
        "new_at": r"(?:(?:^|(?<=[,.;:]) ?|\b(?:is|are|use|take|text|call|have|want|prefer|at|on|to|with|now|make it|it's|i) )"  # noqa: E501
        r"(?P<new_at>[^,;.!?\n]{1,40}?))",
        "end": r"(?=\s*(?:[,;.!\n]|$)| (?:now|please|from now on|because|since|as of|from)\b)",
    },
    "zh": {
        "old": r"(?P<old>[^,。;!?\n]{1,16}?)",
        "new": r"(?P<new>[^,。;!?\n]{1,16}?)",
        "new_at": r"(?P<new_at>[^,。;!?\n]{1,16}?)",
        "end": r"(?=(?:了|啦|吧|啊|呀|哦)?\s*(?:[,。;!\n]|$))",
    },
}


@dataclass(frozen=True, slots=True)
class Replacement:
    """The spans of the old and the new value in a matching form; ``new`` is None where nothing replaces the old one."""

    old: tuple[int, int]
    new: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ReplacementPattern:
    """One pattern in both languages, with example sentences and their values."""

    patterns: dict[str, re.Pattern[str]]
    examples: tuple[tuple[str, str, str], ...]


@lru_cache(maxsize=1)
def load_replacement_patterns() -> tuple[ReplacementPattern, ...]:
    rows = tomllib.loads(WAYS.read_text(encoding="utf-8"))["way"]
    return tuple(
        ReplacementPattern(
            {language: _compile_pattern(row[language], language) for language in _SIDE_PATTERNS if language in row},
            tuple((text, old, new) for text, old, new in row["examples"]),
        )
        for row in rows
    )


def find_replacements(form: str, language: str) -> Iterator[Replacement]:
    for way in load_replacement_patterns():
        pattern = way.patterns.get(language)
        for found in pattern.finditer(form) if pattern else ():
            groups = found.groupdict()
            new = next((name for name in ("new", "new_at") if groups.get(name)), None)
            yield Replacement(found.span("old"), found.span(new) if new else None)


def _compile_pattern(pattern: str, language: str) -> re.Pattern[str]:
    for name, side in _SIDE_PATTERNS[language].items():
        pattern = pattern.replace(f"{{{name}}}", side)
    head = r"(?<!\w)" if language == "en" else ""
    return re.compile(f"{head}(?:{pattern})", re.IGNORECASE)
