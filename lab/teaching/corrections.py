"""Teach the reader of corrections: ``make evaluation``, then ``python -m lab.teaching.corrections``, env set.

Writes ``snapshots/understanding/correcting/corrections.json``.

The printed figures are cross-validated by writer: a reader that the other files taught reads each file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from lab.measuring.corrections import score_corrections
from lab.measuring.golden_sets import GOLDEN, Score, load_rows
from lab.standalone import run_program
from lab.teaching.training import Flags, fit_regression, hash_sets
from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.correcting import correction_classifier as corrections_reader
from snapshots.understanding.correcting.correction_classifier import (
    CORRECTION,
    DOUBTED,
    OTHER,
    WEIGHTS,
    compute_correction_features,
)

# Files of corrections and of what looks like one.
CORRECTIONS = (
    "corrections_blind",
    "corrections_dev",
    "corrections_dev_2",
    "corrections_2",
    "corrections_3",
    "corrections_4",
)
# What people say of themselves: only what is otherwise now is a correction. Without them the reader takes two of three
# statements for one.
STATEMENTS = ("utterances", "utterances_2", "utterances_3", "utterances_4")
# Next turns; those that correct the reply before them are corrections.
TURNS = ("feedback", "feedback_dev", "feedback_2", "feedback_3", "feedback_4", "feedback_5")
# Inverse strength of the regularisation (scikit-learn's C): of 0.3, 1 and 3 the best on writers not learned from.
STRICTNESS = 1.0
# Shares; of 0.3 to 0.55, what finds the most of writers not learned from at a precision of 0.95.
LEAST = {CORRECTION: 0.4, OTHER: 0.0, DOUBTED: 0.09}
# Sets of other writers.
LABELLED = ("corrections_blind", "corrections_2", "corrections_3", "corrections_4")


def load_texts(name: str) -> tuple[list[str], Flags]:
    lines = load_rows(name)
    said = [line["next"] if name in TURNS else line["text"] for line in lines]
    return said, np.array([_is_correction_label(line) for line in lines])


def _is_correction_label(line: dict[str, object]) -> bool:
    if "signal" in line:
        return line["signal"] == "correct"
    return bool(line["is_correction"]) if "is_correction" in line else line["class"] == "change"


def compute_features(texts: Sequence[str]) -> Float32:
    """Return the features of texts, shape (n, features)."""
    return np.array([compute_correction_features(text) for text in texts], np.float32)


def train_classifier(names: Sequence[str]) -> LinearClassifier:
    parts = [load_texts(name) for name in names]
    given = compute_features([text for texts, _ in parts for text in texts])
    model = fit_regression(given, np.concatenate([flags for _, flags in parts]), strictness=STRICTNESS, max_iter=3_000)
    weights = np.array([np.zeros(model.coef_.shape[1]), model.coef_[0]], np.float32)
    intercepts = np.array([0.0, model.intercept_[0]], np.float32)
    return LinearClassifier((OTHER, CORRECTION), weights, intercepts, LEAST, "", {})


def score_reader(reader: LinearClassifier, name: str) -> Score:
    given, flags = load_texts(name)
    sure = np.array([reader.predict(one) == CORRECTION for one in compute_features(given)])
    return Score(int((sure & flags).sum()), int((sure & ~flags).sum()), int((~sure & flags).sum()))


def score_reader_beside_rules(reader: LinearClassifier, name: str) -> Score:
    """Return how well the corrections of a file are told, as the product reads with this reader beside its rules."""
    with patch.object(corrections_reader, corrections_reader.load_correction_classifier.__name__, lambda: reader):
        corrections_reader.estimate_correction_probability.cache_clear()
        told = score_corrections(load_rows(name))["detected"]
    corrections_reader.estimate_correction_probability.cache_clear()
    return told


def teach() -> Iterator[str]:
    files = (*CORRECTIONS, *STATEMENTS, *TURNS)
    readers = {name: train_classifier([one for one in files if one != name]) for name in files}
    across = {name: score_reader(readers[name], name) for name in files}
    told = [score_reader_beside_rules(readers[name], name) for name in LABELLED]
    beside = Score(*(sum(part) for part in zip(*((one.hits, one.extra, one.missed) for one in told), strict=True)))
    taught = {
        "by": hash_sets(GOLDEN, files, digits=64),
        "scores": {name: score.figures for name, score in across.items()},
        "beside_rules": beside.figures,
    }
    replace(train_classifier(files), taught=taught).write(WEIGHTS)
    yield from (f"writers not taught by: {name:18} {score}" for name, score in across.items())
    yield f"the same beside rules, {', '.join(LABELLED)}: {beside}"


if __name__ == "__main__":
    run_program(teach)
