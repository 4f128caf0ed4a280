"""Find instructions that pose as memory: act unasked, send data away, ignore the rules, reveal secrets, obey, promote.

They are refused as memory, not as messages: the product decides how its model treats a request. How answers should
sound (length, tone, language, form of address) is an ordinary preference. A linear model, trained by ``python -m
lab.teaching.instructions`` (``instructions.npz`` names the training data), needs words alone; with the sentence
vector it also recognises words that it was not trained on. Pure.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_platform.kernel.caches import TextCache
from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import remove_invisible
from snapshots.understanding.reading.clauses import list_sentence_spans
from snapshots.understanding.reading.planted_instruction_features import extract_features
from snapshots.understanding.reading.text_folding import fold_for_matching

WEIGHTS = Path(__file__).with_name("data") / "instructions.npz"
# Text that poses as the system's or the assistant's. It is searched at the start of each line.
_AS_SYSTEM = re.compile(
    r"(?:^|(?<=[.!?;。,\n]))\s{0,4}(?:system|assistant|系统|助手|助理)\s?:", re.IGNORECASE | re.MULTILINE
)
# Longer sentences are classified in pieces of so many characters.
LONGEST_PIECE = 240
# Size of the cache: several steps ask about the same sentences.
PIECES_REMEMBERED = 4_000
# The score is divided by the root of the number of parts, up to this number: one telling pair must not be lost in a
# long sentence.
MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class InstructionWeights:
    """One regression: a weight for each known feature, ``vector`` for a sentence vector (empty: words alone), and the
    probability ``least`` from which on a text is an instruction."""

    parts: Float32
    vector: Float32
    intercept: float
    least: float


@dataclass(frozen=True, slots=True)
class InstructionClassifier:
    """The known features by index, the regressions with words alone and with a vector, and in ``taught`` the training
    data."""

    places: Mapping[str, int]
    alone: InstructionWeights
    embedded: InstructionWeights
    taught: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "InstructionClassifier":
        with np.load(path) as held:
            taught = json.loads(str(held["taught"]))
            places = {part: place for place, part in enumerate(str(held["parts"]).split("\n"))}
            both = [
                InstructionWeights(
                    held[f"{name}_parts"].astype(np.float32),
                    held[f"{name}_vector"].astype(np.float32),
                    **taught["weights"][name],
                )
                for name in ("alone", "embedded")
            ]
        return cls(places, both[0], both[1], taught)

    def save(self, path: Path = WEIGHTS) -> None:
        arrays: dict[str, Any] = {}
        numbers = {}
        for name, weights in (("alone", self.alone), ("embedded", self.embedded)):
            arrays[f"{name}_parts"] = weights.parts.astype(np.float16)
            arrays[f"{name}_vector"] = weights.vector.astype(np.float16)
            numbers[name] = {"intercept": weights.intercept, "least": weights.least}
        taught = json.dumps({**self.taught, "weights": numbers}, ensure_ascii=False)
        np.savez_compressed(path, taught=taught, parts="\n".join(self.places), **arrays)

    def probability(self, text: str, vector: Float32 | None = None) -> float:
        """Return the probability that a clause or sentence is an instruction, 0..1; surer with its ``vector``
        (512,)."""
        weights = self.alone if vector is None else self.embedded
        score = weights.intercept
        known = [self.places[part] for part in extract_features(remove_invisible(text)) if part in self.places]
        if known:
            score += float(weights.parts[known].sum()) / math.sqrt(min(len(known), MOST_PARTS))
        if vector is not None:
            score += float(weights.vector @ vector)
        return 1 / (1 + math.exp(-score))


def is_instruction(text: str) -> bool:
    """Return whether a sentence of ``text`` instructs the model, by its words alone."""
    form = fold_for_matching(remove_invisible(text))  # as it will be printed
    return poses_as_system(form) or any(map(_INSTRUCTS, _split_pieces(form)))


def poses_as_system(form: str) -> bool:
    """Return whether a text (matching form) poses as words of whoever runs the model."""
    return _AS_SYSTEM.search(remove_invisible(form)) is not None


def _split_pieces(form: str) -> Iterator[str]:
    for start, end, _ in list_sentence_spans(form):
        yield from (form[at : min(at + LONGEST_PIECE, end)] for at in range(start, end, LONGEST_PIECE))


def _is_instruction_piece(piece: str) -> bool:
    reader = load_instruction_classifier()
    return reader.probability(piece) >= reader.alone.least


_INSTRUCTS = TextCache(_is_instruction_piece, PIECES_REMEMBERED)


@cache
def load_instruction_classifier() -> InstructionClassifier:
    return InstructionClassifier.load()
