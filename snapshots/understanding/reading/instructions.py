"""Instructions that pose as memory: act unasked, send data away, ignore the rules, reveal secrets, obey, promote.

They are refused as memory, not as messages: the product decides what its model does with a request. How answers should
sound (length, tone, language, form of address) is an ordinary preference. A linear model reads them, taught by
``python -m lab.teaching.instructions``; ``instructions.npz`` says by what. It needs words alone; with the vector
of the sentence encoder it also reads words that it was never taught. Pure.
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

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import visible
from memory_platform.kernel.text_cache import ByText
from snapshots.understanding.reading.clauses import cut_sentences
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.instruction_parts import parts_of

WEIGHTS = Path(__file__).with_name("instructions.npz")
_AS_SYSTEM = re.compile(
    r"(?:^|(?<=[.!?;。,\n]))\s{0,4}(?:system|assistant|系统|助手|助理)\s?:", re.IGNORECASE | re.MULTILINE
)
"""How words begin that pose as those of the one who runs the model. It is read with the start of each line."""
LONGEST_PIECE = 240
"""Characters of a sentence that are read together."""
PIECES_REMEMBERED = 4_000
"""A message's sentences are asked about by several who read it."""
MOST_PARTS = 100
"""From how many parts on each weighs as if there were no more: one telling pair is not lost in a long sentence."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One regression: a weight for each known part, ``vector`` for the numbers of an embedded text (none: it reads
    words alone), and the share from which on a text is an instruction."""

    parts: Float32
    vector: Float32
    intercept: float
    least: float


@dataclass(frozen=True, slots=True)
class InstructionReader:
    """The known parts by their place, the regression over words alone and the one with a vector, and what taught
    both."""

    places: Mapping[str, int]
    alone: Weights
    embedded: Weights
    taught: Mapping[str, Any]

    @classmethod
    def read_weights(cls, path: Path = WEIGHTS) -> "InstructionReader":
        """Return the reader that :meth:`write_weights` kept."""
        with np.load(path) as held:
            taught = json.loads(str(held["taught"]))
            places = {part: place for place, part in enumerate(str(held["parts"]).split("\n"))}
            both = [
                Weights(
                    held[f"{name}_parts"].astype(np.float32),
                    held[f"{name}_vector"].astype(np.float32),
                    **taught["weights"][name],
                )
                for name in ("alone", "embedded")
            ]
        return cls(places, both[0], both[1], taught)

    def write_weights(self, path: Path = WEIGHTS) -> None:
        """Keep the reader, its weights in half precision."""
        arrays: dict[str, Any] = {}
        numbers = {}
        for name, weights in (("alone", self.alone), ("embedded", self.embedded)):
            arrays[f"{name}_parts"] = weights.parts.astype(np.float16)
            arrays[f"{name}_vector"] = weights.vector.astype(np.float16)
            numbers[name] = {"intercept": weights.intercept, "least": weights.least}
        taught = json.dumps({**self.taught, "weights": numbers}, ensure_ascii=False)
        np.savez_compressed(path, taught=taught, parts="\n".join(self.places), **arrays)

    def share(self, text: str, vector: Float32 | None = None) -> float:
        """Return how likely a clause or sentence is an instruction, 0..1; surer with its ``vector`` (512,)."""
        weights = self.alone if vector is None else self.embedded
        score = weights.intercept
        known = self.known_in(text)
        if known:
            score += float(weights.parts[known].sum()) / math.sqrt(min(len(known), MOST_PARTS))
        if vector is not None:
            score += float(weights.vector @ vector)
        return 1 / (1 + math.exp(-score))

    def known_in(self, text: str) -> list[int]:
        """Return the places of the known parts of a text."""
        return [self.places[part] for part in parts_of(visible(text)) if part in self.places]


def is_instruction(text: str) -> bool:
    """Return whether a sentence of ``text`` instructs the model, by its words alone."""
    form = matching_form(visible(text))  # as it will be printed
    return poses_as_system(form) or any(map(_INSTRUCTS, _pieces(form)))


def poses_as_system(form: str) -> bool:
    """Return whether a text (matching form) has words that pose as those of the one who runs the model."""
    return _AS_SYSTEM.search(visible(form)) is not None


def _pieces(form: str) -> Iterator[str]:
    for start, end, _ in cut_sentences(form):
        yield from (form[at : min(at + LONGEST_PIECE, end)] for at in range(start, end, LONGEST_PIECE))


def _instructs(piece: str) -> bool:
    reader = instruction_reader()
    return reader.share(piece) >= reader.alone.least


_INSTRUCTS = ByText(_instructs, PIECES_REMEMBERED)


@cache
def instruction_reader() -> InstructionReader:
    return InstructionReader.read_weights()
