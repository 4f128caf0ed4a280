"""How likely the assistant's words say that it keeps nothing of what it was told: "It's gone.", 好，不留。

An assistant hears requests in words that no reader here was taught; its answer is evidence beside them. A small linear
model over its words, taught by ``python -m lab.teaching.acknowledgements``; ``acknowledgements.json`` says by
what. Pure.
"""

import re
from functools import cache
from pathlib import Path

from memory_platform.kernel.linear_model import LinearReader
from snapshots.understanding.heard.order_reader import features

WEIGHTS = Path(__file__).with_name("acknowledgements.json")
ACKNOWLEDGES, OTHER = "acknowledges", "other"
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
LONGEST_READ = 400
"""Characters of an answer that are read: it says at once that it keeps nothing."""


def acknowledgement_share(answer: str) -> float:
    """Return how likely an assistant's message, or its first sentence, says that what was told is not kept."""
    said = answer[:LONGEST_READ]
    first = _SENTENCE.split(said.strip(), maxsplit=1)[0]
    return max(acknowledgement_reader().shares(features(text))[ACKNOWLEDGES] for text in {said, first})


def acknowledges_forgetting(answer: str) -> bool:
    """Return whether an assistant's message says that what was told is not kept."""
    return acknowledgement_share(answer) >= acknowledgement_reader().least[ACKNOWLEDGES]


@cache
def acknowledgement_reader() -> LinearReader:
    return LinearReader.read(WEIGHTS)
