"""Classify the phase of a conversation with a small linear model, from rules, words and history."""

from collections.abc import Mapping
from typing import cast, get_args

import numpy as np

from memory_platform.kernel.linear_model import Float32
from snapshots.context.turn.intent_classifier import INTENTS, choose_space, hash_words, load_classifier, weigh_vector
from snapshots.context.turn.intent_patterns import Intent, Phase

PHASES: tuple[Phase, ...] = get_args(Phase)

_SLOTS = 1024
# Weight of the rules' answer beside the other numbers, from cross-validation over writers.
_OF_RULES = 2.0
_SOME_TURNS = 3
_LONG = 100.0
_LONGEST = 2.0


def classify_phase_by_model(
    form: str, told: Phase, intent: Intent, *, turns: int, tool_open: bool, vectors: Mapping[str, Float32]
) -> Phase:
    """Return the phase of a message in index form; ``told`` is the rules' answer, the rest as in ``detect_phase``."""
    space = choose_space(vectors)
    plain = encode_history(told, intent, turns=turns, tool_open=tool_open)
    best = load_classifier("phases", space).predict(build_phase_features(form, plain, vectors.get(space)))
    return cast(Phase, best) if best else told


def encode_history(told: Phase, intent: Intent, *, turns: int, tool_open: bool) -> list[float]:
    asked = [turns == 0, 0 < turns < _SOME_TURNS, turns >= _SOME_TURNS, tool_open]
    return [*(_OF_RULES * (one == told) for one in PHASES), *(one == intent for one in INTENTS), *asked]


def build_phase_features(form: str, plain: list[float], vector: Float32 | None) -> Float32:
    length = min(len(form) / _LONG, _LONGEST)
    return np.concatenate([hash_words(form, _SLOTS), np.array([*plain, length], np.float32), *weigh_vector(vector)])
