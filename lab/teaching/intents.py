"""Teach the readers of intents and phases: ``make evaluation``, then ``python -m lab.teaching.intents``, env set.

Writes ``snapshots/context/turn/{intents,phases}_*.json``.

The printed figures are cross-validated by writer: a reader that the other files taught reads each file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

import snapshots.context.turn.turn_classifiers as intents
import snapshots.context.turn.turn_classifiers as phases
from lab.measuring.golden_sets import GOLDEN, load_rows, score_classes
from lab.standalone import run_program
from lab.teaching.training import Strings, fit_regression, hash_sets, read_weights
from memory_platform.kernel.linear_model import Float32, LinearClassifier
from memory_platform.kernel.text import index_form
from memory_platform.providers.registry import embedders
from snapshots.context.turn.intent import classify_intent_by_rules, classify_phase_by_rules, detect_intent

# The files of labelled messages, each by another writer or several.
TAUGHT_BY = {
    "intents": ("intents", "intents_2", "intents_3", "intents_4", "intents_5", "intents_6"),
    "phases": ("phases", "phases_2", "phases_3", "phases_4"),
}
# Messages that teach nothing, here and for the rules.
UNSEEN = {"intents": "intents_unseen", "phases": "phases_unseen"}
# Files of what people say of themselves; their lines of ``TELLING`` classes that ask nothing are ``general``.
STATEMENTS = ("utterances", "utterances_2", "utterances_3")
TELLING = {"explicit", "constraint", "change"}
# Inverse strength of the regularisation (scikit-learn's C): more did not read more messages of other writers.
STRICTNESS = {"intents": 1.0, "phases": 0.5}
KNOWS = {"wordllama-l2_supercat-256": {"en"}, "use-multilingual-v3": {"en", "zh"}, intents.WORDS: {"en", "zh"}}

LabelledPairs = list[tuple[set[str], set[str]]]


@cache
def load_messages(name: str) -> list[dict[str, Any]]:
    if name in STATEMENTS:
        told = (row for row in load_rows(name) if row["class"] in TELLING and not set(row["text"]) & set("?？"))
        return [{"language": row["language"], "text": row["text"], "intent": "general"} for row in told]
    return load_rows(name)


@cache
def embed_message(text: str) -> Mapping[str, Float32]:
    """Return a message's vector in every space, also in spaces that do not know its language."""
    return {one.name: one.embed_questions([text])[0] for one in embedders("wordllama,use")}


@cache
def compute_features(what: str, name: str, space: str) -> tuple[Float32, Strings]:
    """Return the features of a file's messages in the languages of a space, shape (n, features), and their labels."""
    given = [row for row in load_messages(name) if row["language"] in KNOWS[space]]
    compute = _compute_intent_features if what == "intents" else _compute_phase_features
    labels = np.array([row[what.removesuffix("s")] for row in given])
    return np.array([compute(row, space) for row in given], np.float32), labels


def _compute_intent_features(row: dict[str, Any], space: str) -> Float32:
    form = index_form(row["text"]).strip()
    return intents.build_intent_features(form, classify_intent_by_rules(form), embed_message(row["text"]).get(space))


def _compute_phase_features(row: dict[str, Any], space: str) -> Float32:
    form, place = index_form(row["text"]).strip(), {"turns": row["turns"], "tool_open": row["tool_open"]}
    own = {one: vector for one, vector in embed_message(row["text"]).items() if one == space}
    intent = detect_intent(row["text"], own)
    told = classify_phase_by_rules(form, intent=intent, **place)
    return phases.build_phase_features(form, phases.encode_history(told, intent, **place), own.get(space))


def train_classifier(what: str, names: Sequence[str], space: str) -> LinearClassifier:
    given, labels = zip(*(compute_features(what, name, space) for name in names), strict=True)
    rows, wanted = np.concatenate(given), np.concatenate(labels)
    model = fit_regression(rows, wanted, strictness=STRICTNESS[what], max_iter=2_000, tol=1e-3, class_weight="balanced")
    return LinearClassifier(*read_weights(model), {}, space, {})


def pair_predictions_with_labels(reader: LinearClassifier, what: str, name: str) -> LabelledPairs:
    given, labels = compute_features(what, name, reader.encoder)
    return [({str(reader.predict(one))}, {str(label)}) for one, label in zip(given, labels, strict=True)]


def compute_accuracy(pairs: LabelledPairs) -> float:
    return sum(found == label for found, label in pairs) / len(pairs)


def teach(what: str) -> Iterator[str]:
    beside = STATEMENTS if what == "intents" else ()
    names = (*TAUGHT_BY[what], *beside)
    for space in intents.SPACES:
        others = {name: [one for one in names if one != name] for name in TAUGHT_BY[what]}
        across = [
            pair
            for name in TAUGHT_BY[what]
            for pair in pair_predictions_with_labels(train_classifier(what, others[name], space), what, name)
        ]
        reader, right, found = train_classifier(what, names, space), compute_accuracy(across), score_classes(across)
        taught = {
            "by": hash_sets(GOLDEN, names, digits=64),
            "messages": len(across),
            "accuracy": round(right, 3),
            "scores": {name: score.figures for name, score in found.items()},
        }
        replace(reader, taught=taught).write(intents.build_classifier_path(what, space))
        yield f"{what} {space or 'words'}: of writers not taught by {right:.3f} right of {len(across)}"
        accuracy = compute_accuracy(pair_predictions_with_labels(reader, what, UNSEEN[what]))
        yield f"{what} {space or 'words'}: unseen {accuracy:.3f} right"
        yield from (f"  {name:24} {score}" for name, score in found.items())


if __name__ == "__main__":
    run_program(lambda: chain(teach("intents"), teach("phases")))
