"""An explanation in plain values: what answers show (R7)."""

import re
from typing import Any

from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import detect_language
from snapshots.embedding.contextual import spoken_date
from snapshots.recall.values import Explain, RecalledMemory
from snapshots.receipts.packing import named

_WORD = re.compile(r"[㐀-鿿]+|[^\W_㐀-鿿]+(?:['’-][^\W_㐀-鿿]+)*")


def explained(why: Explain, asked: str, memory: RecalledMemory) -> dict[str, Any]:
    """Return the fields of ``why`` as plain values; a lane that did not find the memory is None.

    ``keyword.words`` are the words of the question that the memory shares, as they are asked; left out where it has
    its rank by the words of the memories around it, or by words near in meaning.
    """
    shown = named(why)
    words = matched_words(asked, memory) if shown["keyword"] is not None else []
    if words:
        shown["keyword"]["words"] = words
    return shown


def matched_words(asked: str, memory: RecalledMemory) -> list[str]:
    """Return the words of ``asked`` that stand in a memory, its speaker, date, topics and aliases, each once, in
    order."""
    date = spoken_date(memory.said_locally, detect_language(memory.text))
    held = (memory.text, memory.name or "", date, memory.category or "", *memory.topics, *memory.aliases)
    said = frozenset(terms(" ".join(held)))
    words = (part for word in _WORD.findall(asked) for part in _shared(word, said))
    return list(dict.fromkeys(words))


def _shared(word: str, said: frozenset[str]) -> list[str]:
    found = [term for term in terms(word) if term in said]
    return found if not word.isascii() else [word] * bool(found)
