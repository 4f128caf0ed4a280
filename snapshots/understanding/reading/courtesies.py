"""Recognise messages that say nothing: greetings, acknowledgements and bare commands, phrase by phrase.

Any other word, name or number makes a message a statement: a message that is skipped can never be recalled.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from memory_platform.kernel.text import index_form

_FILE = Path(__file__).with_name("data") / "courtesies.toml"
_PHRASES = {
    language: frozenset("|".join(one.replace("\n", "") for one in table.values()).split("|"))
    for language, table in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
_EN, _ZH = frozenset(tuple(phrase.split()) for phrase in _PHRASES["en"]), _PHRASES["zh"]
_LONGEST_EN, _LONGEST_ZH = max(map(len, _EN)), max(map(len, _ZH))
_LONGEST_EMPTY = 80
_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:'[a-z]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]")


def says_something(text: str) -> bool:
    """Return whether a user message holds anything to remember: false only for pure courtesy and bare commands."""
    if len(text) > _LONGEST_EMPTY:
        return True
    form = index_form(text)
    runs = _RUN.findall(form)
    chinese = [run for run in runs if _HAN.match(run)]
    words = tuple(run for run in runs if not _HAN.match(run))
    return not (
        _is_all_phrases(words, _EN, _LONGEST_EN) and all(_is_all_phrases(run, _ZH, _LONGEST_ZH) for run in chinese)
    )


def _is_all_phrases(words: str | tuple[str, ...], phrases: frozenset[Any], longest: int) -> bool:
    at = 0
    while at < len(words):
        step = next((n for n in range(longest, 0, -1) if words[at : at + n] in phrases), 0)
        if not step:
            return False
        at += step
    return True
