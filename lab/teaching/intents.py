"""Teach the readers of intents and phases: ``make evaluation``, then ``python -m lab.teaching.intents``, env set.

Writes ``snapshots/context/turn/{intents,phases}_*.json``.

The printed figures are cross-validated by writer: a reader that the other files taught reads each file.
"""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import snapshots.context.turn.turn_classifiers as intents
import snapshots.context.turn.turn_classifiers as phases
from lab.measuring.golden_sets import GOLDEN, Score, load_rows, score_classes
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
# Inverse strength of the regularisation (scikit-learn's C): more read no more across writers.
STRICTNESS = {"intents": 1.0, "phases": 0.5}
KNOWS = {"wordllama-l2_supercat-256": {"en"}, "use-multilingual-v3": {"en", "zh"}, intents.WORDS: {"en", "zh"}}

LabelArray = npt.NDArray[np.str_]
LabelledPairs = list[tuple[set[str], set[str]]]


@cache
def messages(name: str) -> list[dict[str, Any]]:
    if name in STATEMENTS:
        told = (row for row in load_rows(name) if row["class"] in TELLING and not set(row["text"]) & set("?？"))
        return [{"language": row["language"], "text": row["text"], "intent": "general"} for row in told]
    return load_rows(name)


@cache
def embed_message(text: str) -> Mapping[str, Float32]:
    """Return a message's vector in every space, whether or not it is one for its language."""
    return {one.name: one.embed_questions([text])[0] for one in embedders("wordllama,use")}


@cache
def compute_features(what: str, name: str, space: str) -> tuple[Float32, LabelArray]:
    """Return the features of a file's messages in the languages of a space, shape (n, features), and their labels."""
    given = [row for row in messages(name) if row["language"] in KNOWS[space]]
    read = [
        _compute_intent_features(row, space) if what == "intents" else _compute_phase_features(row, space)
        for row in given
    ]
    return np.array(read, np.float32), np.array([row[what.removesuffix("s")] for row in given])


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
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - of the group `evaluation`

    parts = [compute_features(what, name, space) for name in names]
    model = LogisticRegression(C=STRICTNESS[what], max_iter=2_000, tol=1e-3, class_weight="balanced")
    model.fit(np.concatenate([given for given, _ in parts]), np.concatenate([labels for _, labels in parts]))
    weights, intercepts = (np.asarray(found, np.float32) for found in (model.coef_, model.intercept_))
    return LinearClassifier(tuple(map(str, model.classes_)), weights, intercepts, {}, space, {})


def predictions(reader: LinearClassifier, what: str, name: str) -> LabelledPairs:
    """Return pairs of the predicted and the labelled class of a file's messages."""
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
            for pair in predictions(train_classifier(what, others[name], space), what, name)
        ]
        reader, sources = train_classifier(what, names, space), {name: _hash_of(name) for name in names}
        found = {name: _round_score(score) for name, score in score_classes(across).items()}
        taught = {
            "by": sources,
            "messages": len(across),
            "accuracy": round(compute_accuracy(across), 3),
            "scores": found,
        }
        replace(reader, taught=taught).write(intents.build_classifier_path(what, space))
        right = compute_accuracy(across)
        yield f"{what} {space or 'words'}: of writers not taught by {right:.3f} right of {len(across)}"
        yield f"{what} {space or 'words'}: unseen {compute_accuracy(predictions(reader, what, UNSEEN[what])):.3f} right"
        yield from (f"  {name:24} precision {p:.3f} recall {r:.3f}" for name, (p, r) in found.items())


def _hash_of(name: str) -> str:
    return hashlib.sha256((GOLDEN / f"{name}.jsonl").read_bytes()).hexdigest()


def _round_score(score: Score) -> tuple[float, float]:
    return round(score.precision, 3), round(score.recall, 3)


if __name__ == "__main__":
    for line in (*teach("intents"), *teach("phases")):
        sys.stdout.write(f"{line}\n")
