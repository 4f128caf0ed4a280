"""Phase of a conversation at a message, by a small linear model: rules, words, and what came before."""

from collections.abc import Mapping
from typing import cast, get_args

import numpy as np

from memory_platform.kernel.linear_model import Float32
from snapshots.context.turn.intent_reader import INTENTS, reader_of, space_of, vector_in, words_in
from snapshots.context.turn.intent_rules import Intent, Phase

PHASES: tuple[Phase, ...] = get_args(Phase)

_SLOTS = 1024
# Weight of the rules' answer beside the other numbers, from cross-validation over writers.
_OF_RULES = 2.0
_SOME_TURNS = 3
_LONG = 100.0
_LONGEST = 2.0


def read_phase(
    form: str, told: Phase, intent: Intent, *, turns: int, tool_open: bool, vectors: Mapping[str, Float32]
) -> Phase:
    """Return the phase of a message in index form; ``told`` is the rules' answer, the rest as in ``detect_phase``."""
    space = space_of(vectors)
    plain = before(told, intent, turns=turns, tool_open=tool_open)
    best = reader_of("phases", space).predict(features(form, plain, vectors.get(space)))
    return cast(Phase, best) if best else told


def before(told: Phase, intent: Intent, *, turns: int, tool_open: bool) -> list[float]:
    """Return the rules' answer and what came before, as numbers."""
    asked = [turns == 0, 0 < turns < _SOME_TURNS, turns >= _SOME_TURNS, tool_open]
    return [*(_OF_RULES * (one == told) for one in PHASES), *(one == intent for one in INTENTS), *asked]


def features(form: str, plain: list[float], vector: Float32 | None) -> Float32:
    length = min(len(form) / _LONG, _LONGEST)
    return np.concatenate([words_in(form, _SLOTS), np.array([*plain, length], np.float32), *vector_in(vector)])
