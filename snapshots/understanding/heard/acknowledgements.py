"""Classify whether the assistant says that it keeps nothing: "It's gone.", 好，不留。

Users ask in words that no classifier here was trained on; the assistant's answer is evidence beside them. A small
linear model over words, trained by ``python -m tests.golden.teach_acknowledgements``; ``acknowledgements.json`` names
the training data. Pure.
"""

import re
from functools import cache
from pathlib import Path

from memory_platform.kernel.linear_model import LinearReader
from snapshots.understanding.heard.order_reader import features

WEIGHTS = Path(__file__).with_name("acknowledgements.json")
ACKNOWLEDGES, OTHER = "acknowledges", "other"
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
# In characters: an answer says at its beginning that it keeps nothing.
LONGEST_READ = 400


def acknowledgement_share(answer: str) -> float:
    """Return the probability that an assistant's message, or its first sentence, says that nothing is kept."""
    said = answer[:LONGEST_READ]
    first = _SENTENCE.split(said.strip(), maxsplit=1)[0]
    return max(acknowledgement_reader().shares(features(text))[ACKNOWLEDGES] for text in {said, first})


def acknowledges_forgetting(answer: str) -> bool:
    return acknowledgement_share(answer) >= acknowledgement_reader().least[ACKNOWLEDGES]


@cache
def acknowledgement_reader() -> LinearReader:
    return LinearReader.read(WEIGHTS)
