"""Classify intent and phase of a message with small linear models, from words, rules, history and the vector.

Each embedding space has a reader; another needs no vectors. ``intents_*.json`` and ``phases_*.json`` name the labelled
messages that trained them and the accuracy on other writers. Calls no chat model.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import cast, get_args
from zlib import crc32

import numpy as np

from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.context.turn.intent_patterns import Intent, Phase

# The space of the reader that needs no vector.
WORDS = ""
# Names of the readers' files by the space of their vectors, the better one first.
SPACES = {"use-multilingual-v3": "use", "wordllama-l2_supercat-256": "wordllama", WORDS: "words"}

INTENTS: tuple[Intent, ...] = get_args(Intent)
# Characters that are read: what is wanted shows in the first sentences.
LONGEST_READ = 400
# Length of the hashed words; half as many read 0.01 less of the English messages and as much of the Chinese ones.
_SLOTS = 2048
# Weights of words and vector beside the rules' answer, from cross-validation over writers.
_OF_WORDS = _OF_VECTOR = 3.0
_TOKEN = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")
_LONG = 4
_LENGTHS = 4
_WORDS_A_LENGTH = 3


def classify_intent_by_model(form: str, rule_intent: Intent, vectors: Mapping[str, Float32]) -> Intent:
    """Return the intent of a message in index form; ``rule_intent`` is the rules' answer, ``vectors`` are by space."""
    space = choose_space(vectors)
    best = load_classifier("intents", space).predict(build_intent_features(form, rule_intent, vectors.get(space)))
    return cast(Intent, best) if best else rule_intent


def choose_space(vectors: Mapping[str, Float32]) -> str:
    """Return the best space with a reader in which the message has a vector; ``WORDS`` without a vector."""
    return next((one for one in SPACES if one in vectors), WORDS)


@lru_cache(maxsize=2 * len(SPACES))
def load_classifier(what: str, space: str) -> LinearClassifier:
    return LinearClassifier.read(build_classifier_path(what, space))


def build_classifier_path(what: str, space: str) -> Path:
    return Path(__file__).with_name(f"{what}_{SPACES[space]}.json")


def build_intent_features(form: str, rule_intent: Intent, vector: Float32 | None) -> Float32:
    ruled = np.array([one == rule_intent for one in INTENTS], np.float32)
    return np.concatenate([hash_words(form, _SLOTS), ruled, *weigh_vector(vector)])


def hash_words(form: str, slots: int) -> Float32:
    """Return the parts of a message in index form, hashed, shape (slots,)."""
    words = np.zeros(slots, np.float32)
    words[[crc32(part.encode()) % slots for part in set(list_text_parts(form))]] = 1.0
    return words * np.float32(_OF_WORDS / np.linalg.norm(words))


def weigh_vector(vector: Float32 | None) -> tuple[Float32, ...]:
    """Return a vector weighed like the words, as a row of its own; no row for None."""
    if vector is None:
        return ()
    own = vector.astype(np.float32)
    return (own * np.float32(_OF_VECTOR / max(float(np.linalg.norm(own)), 1e-9)),)


def list_text_parts(form: str) -> Iterator[str]:
    """Yield the parts of a message in index form. Runs of one to three words or Chinese characters, beginnings and ends
    of long words, its length, and whether it asks."""
    words = ["^", *_TOKEN.findall(form[:LONGEST_READ]), "$"]
    for length in (1, 2, 3):
        yield from ("_".join(words[i : i + length]) for i in range(len(words) - length + 1))
    for word in words:
        if len(word) > _LONG:
            yield from (f"p:{word[:4]}", f"s:{word[-3:]}")
    yield f"n:{min(len(words) // _WORDS_A_LENGTH, _LENGTHS)}"
    if "?" in form:
        yield "?"


PHASES: tuple[Phase, ...] = get_args(Phase)

_PHASE_SLOTS = 1024
# Weight of the rules' answer beside the other numbers, from cross-validation over writers.
_OF_RULES = 2.0
_SOME_TURNS = 3
_PHASE_CHARACTERS = 100.0
_LONGEST = 2.0


def classify_phase_by_model(
    form: str, rule_phase: Phase, intent: Intent, *, turns: int, tool_open: bool, vectors: Mapping[str, Float32]
) -> Phase:
    """Return the phase of a message in index form; ``rule_phase`` is the rules' answer, the rest as in
    ``detect_phase``."""
    space = choose_space(vectors)
    plain = encode_history(rule_phase, intent, turns=turns, tool_open=tool_open)
    best = load_classifier("phases", space).predict(build_phase_features(form, plain, vectors.get(space)))
    return cast(Phase, best) if best else rule_phase


def encode_history(rule_phase: Phase, intent: Intent, *, turns: int, tool_open: bool) -> list[float]:
    asked = [turns == 0, 0 < turns < _SOME_TURNS, turns >= _SOME_TURNS, tool_open]
    return [*(_OF_RULES * (one == rule_phase) for one in PHASES), *(one == intent for one in INTENTS), *asked]


def build_phase_features(form: str, plain: list[float], vector: Float32 | None) -> Float32:
    length = min(len(form) / _PHASE_CHARACTERS, _LONGEST)
    return np.concatenate(
        [hash_words(form, _PHASE_SLOTS), np.array([*plain, length], np.float32), *weigh_vector(vector)]
    )
