"""Topics and aliases of a memory as marks in its index, by which a question names it.

They match in any case, plural or not ("k8s", "point of view", "公司"), and with one slip in a name of one or two words
that has five letters or more, though not in its first two, so that "mango" names no Mongo.
"""

import re
from collections.abc import Iterable, Iterator

from memory_platform.kernel.text import index_form

ALIASES_MOST, ALIAS_CHARS = 20, 100
# Words, or Chinese characters, of the longest name that is looked for.
WORDS_MOST = 8
SLIP_FROM, SLIP_TO, SLIP_WORDS, FIRST_LETTERS = 5, 40, 2, 2
READ_CHARACTERS = 2_000

_PLURAL = re.compile(r"^([a-z]{2,}[^aiosu\W])s$")
_WORD = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+")


def make_alias_marks(aliases: Iterable[str]) -> frozenset[str]:
    """Return the marks of a memory that has ``aliases``."""
    return frozenset(mark for alias in aliases for mark in _make_marks_of_name(" ".join(_split_name(alias))))


def list_possible_name_marks(text: str) -> frozenset[str]:
    """Return the marks of every name that ``text`` may say. Bounded for any text."""
    words = _split_name(text[:READ_CHARACTERS])
    spans = (words[start : start + size] for start in range(len(words)) for size in range(1, WORDS_MOST + 1))
    return frozenset(mark for said in {" ".join(span) for span in spans} for mark in _make_marks_of_name(said))


def _split_name(text: str) -> list[str]:
    """Return the words of a name without the s of a plural; Redis, status and class keep theirs."""
    return [_PLURAL.sub(r"\1", word) for word in _WORD.findall(index_form(text))]


def _make_marks_of_name(name: str) -> Iterator[str]:
    if not name:
        return
    yield f"\x1falias {name}"
    if SLIP_FROM <= len(name) <= SLIP_TO and name.isascii() and name.count(" ") < SLIP_WORDS:
        for at in range(FIRST_LETTERS, len(name)):
            yield f"\x1fslip {name[:at]}{name[at + 1 :]}"
        yield f"\x1fslip {name}"
