"""Teach the reader of next turns: ``make evaluation``, then ``python -m lab.teaching.next_turns``, env set.

Writes ``snapshots/feedback/reading/senses.json``. The printed figures are cross-validated by writer: a reader that the
other files taught reads each file, as in the product, where rules decide on corrections if the reader is in doubt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from lab.measuring.golden_sets import GOLDEN, Score, load_rows, score_classes
from lab.standalone import run_program
from lab.teaching.training import Strings, fit_regression, hash_sets, read_weights
from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.feedback.reading.sense_classifier import ENCODER, WEIGHTS, build_features, embed_sentences
from snapshots.feedback.reading.sense_rules import classify_turn_by_rules
from snapshots.feedback.values import AnsweredTurn, TurnSense

# The files of labelled turns, each by another writer.
TAUGHT_BY = ("feedback", "feedback_dev", "feedback_2", "feedback_3", "feedback_4", "feedback_5")
# Those by which no rule was mended.
NO_RULES_FROM = ("feedback_4", "feedback_5")
# Turns that teach nothing, here and for the rules.
UNSEEN = ("feedback_unseen",)
# Inverse strength of the regularisation (scikit-learn's C): of 0.1, 0.3 and 1 the best across writers.
STRICTNESS = 0.3
# A class is told from the share on from which this part of what is told is right, among writers not learned from; more
# than the 0.95 that is asked, as strangers' turns are read a little less well.
PRECISE = 0.97
# Weight of a turn taught once more without its reply: products that send no replies are read, too.
WITHOUT_REPLY = 0.3
STEPS = np.arange(0.0, 0.96, 0.02)

UNCLEAR, CORRECT = str(TurnSense.UNCLEAR), str(TurnSense.CORRECT)


def load_turns(name: str) -> list[AnsweredTurn]:
    return [AnsweredTurn(row["query"], row["reply"], row["next"]) for row in load_rows(name)]


def load_labels(name: str) -> Strings:
    return np.array([row["signal"] for row in load_rows(name)])


@cache
def compute_features(name: str, *, replied: bool = True) -> Float32:
    """Return the features of a file's turns, shape (n, features); without their replies unless ``replied``."""
    given = load_turns(name)
    sentences = embed_sentences(given)
    found = [build_features(turn if replied else replace(turn, reply=None), sentences) for turn in given]
    return np.array([one for one in found if one is not None], np.float32)


def train_classifier(names: Sequence[str]) -> LinearClassifier:
    labels = np.concatenate([load_labels(name) for name in names])
    given = np.concatenate([compute_features(name, replied=replied) for replied in (True, False) for name in names])
    weight = np.repeat([1.0, WITHOUT_REPLY], len(labels))
    labels = np.concatenate([labels, labels])
    model = fit_regression(
        given, labels, weight, strictness=STRICTNESS, max_iter=2_000, tol=1e-3, class_weight="balanced"
    )
    return LinearClassifier(*read_weights(model), {}, ENCODER, {})


def compute_shares(reader: LinearClassifier, name: str) -> npt.NDArray[np.float64]:
    """Return the shares that a reader gives the turns of a file, shape (n, classes)."""
    return np.array([[*reader.class_shares(one).values()] for one in compute_features(name)])


def compute_thresholds(classes: Sequence[str], shares: npt.NDArray[np.float64], labels: Strings) -> dict[str, float]:
    """Return the share of each class from which on it is told precisely enough."""
    likeliest, least = np.array(classes)[shares.argmax(axis=1)], {}
    for name in classes:
        right, given = labels[likeliest == name] == name, shares[likeliest == name].max(axis=1)
        precise = (step for step in STEPS if right[given >= step].size and right[given >= step].mean() >= PRECISE)
        least[name] = round(float(next(precise, STEPS[-1])), 2)
    return least


def decide_classes(classes: Sequence[str], shares: npt.NDArray[np.float64], least: dict[str, float]) -> list[str]:
    best = [(classes[row.argmax()], row.max()) for row in shares]
    return [name if share >= least[name] else UNCLEAR for name, share in best]


def add_rule_corrections(classes: Sequence[str], name: str) -> list[str]:
    """Return the product's classes of a file's turns: the reader's, and the rules' corrections where it is in doubt."""
    by_rules = [str(classify_turn_by_rules(turn)) for turn in load_turns(name)]
    return [rule if one == UNCLEAR and rule == CORRECT else one for one, rule in zip(classes, by_rules, strict=True)]


def score_turn_classes(classes: Sequence[str], labels: Strings) -> dict[str, Score]:
    senses = set(labels)
    pairs = [({one} & senses, {str(label)}) for one, label in zip(classes, labels, strict=True)]
    return score_classes(pairs)


def teach() -> Iterator[str]:
    across = [compute_shares(train_classifier([one for one in TAUGHT_BY if one != name]), name) for name in TAUGHT_BY]
    labels, shares = np.concatenate([load_labels(name) for name in TAUGHT_BY]), np.concatenate(across)
    reader = train_classifier(TAUGHT_BY)
    least = compute_thresholds(reader.classes, shares, labels)
    read = {
        name: add_rule_corrections(decide_classes(reader.classes, of, least), name)
        for name, of in zip(TAUGHT_BY, across, strict=True)
    }
    seen = _score_files(read, TAUGHT_BY)
    taught = {
        "by": hash_sets(GOLDEN, TAUGHT_BY, digits=64),
        "turns": len(labels),
        "scores": {name: score.figures for name, score in seen.items()},
    }
    replace(reader, least=least, taught=taught).write(WEIGHTS)
    yield from _render_lines("writers not taught by", seen)
    yield from _render_lines(f"of these {', '.join(NO_RULES_FROM)}", _score_files(read, NO_RULES_FROM))
    for name in UNSEEN:
        found = add_rule_corrections(decide_classes(reader.classes, compute_shares(reader, name), least), name)
        yield from _render_lines(name, score_turn_classes(found, load_labels(name)))


def _score_files(read: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, Score]:
    return score_turn_classes(
        [one for name in names for one in read[name]], np.concatenate([load_labels(name) for name in names])
    )


def _render_lines(title: str, scores: dict[str, Score]) -> Iterator[str]:
    yield from (f"{title}: {name:13} {score}" for name, score in scores.items())


if __name__ == "__main__":
    run_program(teach)
