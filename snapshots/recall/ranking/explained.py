"""An explanation in plain values: what answers show."""

from typing import Any

from memory_platform.kernel.shared_words import shared_words
from memory_platform.kernel.text import detect_language
from snapshots.embedding.contextual import spoken_date
from snapshots.recall.values import Explain, RecalledMemory
from snapshots.receipts.packing import named


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
    return shared_words(asked, " ".join(held))
