"""Find the old value that a sentence names as over and the new one, by the patterns of ``data/ways.toml``."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_TABLE = tomllib.loads((Path(__file__).with_name("data") / "ways.toml").read_text(encoding="utf-8"))
_SIDE_PATTERNS: dict[str, dict[str, str]] = _TABLE["sides"]


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
    return tuple(
        ReplacementPattern(
            {language: _compile_pattern(row[language], language) for language in _SIDE_PATTERNS if language in row},
            tuple((text, old, new) for text, old, new in row["examples"]),
        )
        for row in _TABLE["way"]
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
