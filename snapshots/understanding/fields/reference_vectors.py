"""Reference vectors for matching fields: other topics that notes may be about, and ordinary notes."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders
from snapshots.understanding.reading.text_folding import detect_rule_language

BACKGROUND = Path(__file__).with_name("background.toml")
ENCODER = "use"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class BackgroundVectors:
    """Unit vectors by language: ``centres`` (512,) of notes; ``topics`` and ``notes`` (n, 512) relative to the
    centres."""

    centres: Mapping[str, Float32]
    topics: Mapping[str, Float32]
    notes: Mapping[str, Float32]


@lru_cache(maxsize=1)
def load_background_vectors() -> BackgroundVectors:
    """Return the background, embedded once per process. No transaction may be open. Raises EmbeddingUnavailable."""
    held = tomllib.loads(BACKGROUND.read_text(encoding="utf-8"))
    notes = {language: held["notes"][language] for language in LANGUAGES}
    topics = {language: [pair[place] for pair in held["topics"]] for place, language in enumerate(LANGUAGES)}
    vectors = {language: _embed_texts(notes[language]) for language in LANGUAGES}
    centres = {language: vectors[language].mean(axis=0) for language in LANGUAGES}
    return BackgroundVectors(
        centres,
        {language: _centre_vectors(centres[language], _embed_texts(topics[language])) for language in LANGUAGES},
        {language: _centre_vectors(centres[language], vectors[language]) for language in LANGUAGES},
    )


def embed_centred(texts: Sequence[str]) -> Float32:
    """Return unit vectors (n, 512) relative to the centre of their language's notes: a direction that all sentences of
    a language share says nothing. No transaction may be open. Raises EmbeddingUnavailable."""
    centres = load_background_vectors().centres
    around = np.stack([centres[detect_rule_language(text)] for text in texts])
    return _centre_vectors(around, _embed_texts(texts))


def _embed_texts(texts: Sequence[str]) -> Float32:
    (encoder,) = embedders(ENCODER)
    return np.asarray(encoder.embed(texts), np.float32)


def _centre_vectors(centre: Float32, vectors: Float32) -> Float32:
    moved = vectors - centre
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9), np.float32)
