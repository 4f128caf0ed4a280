"""Classify whether words correct something: a small linear model over words, without vectors.

Trained on labelled corrections and other talk (``corrections.json`` says which). A change that patterns find and the
classifier doubts is dropped; a sentence of which it is sure is a correction even if its object is unknown.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.changes.correction_grammar import load_grammar
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching

WEIGHTS = Path(__file__).with_name("corrections.json")
CORRECTION, OTHER = "correction", "other"
# The name of a threshold: below it a correction that the patterns found is dropped.
DOUBTED = "doubted"
# In characters: a turn that corrects something is short.
LONGEST_READ = 260
# Number of hash buckets. With a quarter of it, precision on other writers' corrections falls by 0.02 to 0.05.
_SLOTS = 8_192
_WORDS_WEIGH = 4.0
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[\u3400-\u9fff]|[?!,.;:-]")
_WORDS_A_LENGTH, _LENGTHS = 6, 6


def is_correction(text: str) -> bool:
    """Return whether ``text`` surely corrects something, and nothing in it is supposed, quoted or told of others. Words
    do not show whose they are, and reports were half of the false positives."""
    said = fold_for_matching(text[:LONGEST_READ])
    if not said.strip() or load_grammar(detect_rule_language(said)).idle.search(said):
        return False
    return load_correction_classifier().predict(compute_correction_features(said)) == CORRECTION


@lru_cache(maxsize=64)  # asked once per sentence of the same message
def estimate_correction_probability(text: str) -> float:
    return load_correction_classifier().class_shares(compute_correction_features(text[:LONGEST_READ]))[CORRECTION]


def is_unlikely_correction(text: str) -> bool:
    return estimate_correction_probability(text) < load_correction_classifier().least[DOUBTED]


def is_sure_correction(share: float) -> bool:
    return share >= load_correction_classifier().least[CORRECTION]


@lru_cache(maxsize=1)
def load_correction_classifier() -> LinearClassifier:
    return LinearClassifier.read(WEIGHTS)


def compute_correction_features(text: str) -> Float32:
    """Return the features of a text, shape (8192,)."""
    return hash_features(extract_features(text), _SLOTS, _WORDS_WEIGH)


def hash_features(parts: Iterable[str], slots: int, length: float) -> Float32:
    """Return the buckets that ``parts`` fall into as a vector of norm ``length``, shape (slots,)."""
    found = np.zeros(slots, np.float32)
    found[[crc32(part.encode()) % slots for part in set(parts)]] = 1.0
    return found * np.float32(length / np.linalg.norm(found))


def extract_features(text: str, *, longest: int = 3) -> Iterator[str]:
    """Yield runs of up to ``longest`` words, Chinese characters or marks, and the length class; all numbers are
    alike."""
    form = re.sub(r"\d+", "0", fold_for_matching(text).lower())
    words = ["^", *_TOKEN.findall(form), "$"]
    for length in range(1, longest + 1):
        yield from ("_".join(words[i : i + length]) for i in range(len(words) - length + 1))
    yield f"n:{min(len(words) // _WORDS_A_LENGTH, _LENGTHS)}"
