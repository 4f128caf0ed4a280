"""Special categories of data: words about somebody's health, faith, politics, origin, love or body. The word lists
stand in ``special.toml``."""

import re
import tomllib
from functools import cache
from pathlib import Path

from memory_platform.kernel.text import index_form

WORDS = Path(__file__).with_name("special.toml")
PERSON = "person"
# Words of a sentence that may be a bare answer, which names nobody: "asthma and hay fever".
_BARE_WORDS = 5
_SENTENCE_END = re.compile(r"([.!?;]+(?=\s|$)|[。!?;\n]+)")
_WORD = re.compile(r"[a-z']+|[\u3400-\u9fff]")


def find_special_categories(text: str) -> tuple[str, ...]:
    """Return the special categories of data that ``text`` holds about somebody, in the order of ``special.toml``."""
    *parts, last = _SENTENCE_END.split(index_form(text))
    sentences = [*zip(parts[::2], parts[1::2], strict=True), (last, "")]
    found = {
        name for sentence, end in sentences for name in _find_categories_in_sentence(sentence, is_asked="?" in end)
    }
    return tuple(name for name in _load_patterns() if name in found)


def _find_categories_in_sentence(sentence: str, *, is_asked: bool) -> list[str]:
    patterns = _load_patterns()
    named = [name for name, pattern in patterns.items() if name != PERSON and pattern.search(sentence)]
    if not named or patterns[PERSON].search(sentence):
        return named
    is_answer = not is_asked and len(_WORD.findall(sentence)) <= _BARE_WORDS
    return named if is_answer else []


@cache
def _load_patterns() -> dict[str, re.Pattern[str]]:
    rows = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    return {name: re.compile(rf"\b(?:{row['en']})\b|(?:{row['zh']})", re.ASCII) for name, row in rows.items()}
