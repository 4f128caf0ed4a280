"""The words that a question and a text share, as people are shown them."""

import re
from collections.abc import Set

from memory_platform.kernel.terms import split_terms

_WORD = re.compile(r"[㐀-鿿]+|[^\W_㐀-鿿]+(?:['’-][^\W_㐀-鿿]+)*")


def shared_words(asked: str, said: str) -> list[str]:
    """Return the words of ``asked`` that occur in ``said`` in any form, each once, in order; for Chinese the characters
    and pairs."""
    held = frozenset(split_terms(said))
    words = (part for word in _WORD.findall(asked) for part in _parts_in(word, held))
    return list(dict.fromkeys(words))


def _parts_in(word: str, said: Set[str]) -> list[str]:
    found = [term for term in split_terms(word) if term in said]
    return found if not word.isascii() else [word] * bool(found)
