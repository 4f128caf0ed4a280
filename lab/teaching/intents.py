"""Teach the readers of intents and phases: ``make evaluation``, then ``python -m lab.teaching.intents``, env set.

Writes ``snapshots/context/turn/{intents,phases}_*.json``.

What is said of how well they read comes from writers that they were not taught by: each file is read by a reader that
the other files taught.
"""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import snapshots.context.turn.intent_reader as intents
import snapshots.context.turn.phase_reader as phases
from lab.measuring.labels import GOLDEN, Score, rows, scores
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
        told = (row for row in rows(name) if row["class"] in TELLING and not set(row["text"]) & set("?？"))
        return [{"language": row["language"], "text": row["text"], "intent": "general"} for row in told]
    return rows(name)


@cache
def vectors(text: str) -> Mapping[str, Float32]:
    """Return a message's vector in every space, whether or not it is one for its language."""
    return {one.name: one.embed_questions([text])[0] for one in embedders("wordllama,use")}


@cache
def numbers(what: str, name: str, space: str) -> tuple[Float32, LabelArray]:
    """Return the features of a file's messages in the languages of a space, shape (n, features), and their labels."""
    given = [row for row in messages(name) if row["language"] in KNOWS[space]]
    read = [_of_intent(row, space) if what == "intents" else _of_phase(row, space) for row in given]
    return np.array(read, np.float32), np.array([row[what.removesuffix("s")] for row in given])


def _of_intent(row: dict[str, Any], space: str) -> Float32:
    form = index_form(row["text"]).strip()
    return intents.intent_features(form, classify_intent_by_rules(form), vectors(row["text"]).get(space))


def _of_phase(row: dict[str, Any], space: str) -> Float32:
    form, place = index_form(row["text"]).strip(), {"turns": row["turns"], "tool_open": row["tool_open"]}
    own = {one: vector for one, vector in vectors(row["text"]).items() if one == space}
    intent = detect_intent(row["text"], own)
    told = classify_phase_by_rules(form, intent=intent, **place)
    return phases.phase_features(form, phases.encode_history(told, intent, **place), own.get(space))


def taught_by(what: str, names: Sequence[str], space: str) -> LinearClassifier:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - of the group `evaluation`

    parts = [numbers(what, name, space) for name in names]
    model = LogisticRegression(C=STRICTNESS[what], max_iter=2_000, tol=1e-3, class_weight="balanced")
    model.fit(np.concatenate([given for given, _ in parts]), np.concatenate([labels for _, labels in parts]))
    weights, intercepts = (np.asarray(found, np.float32) for found in (model.coef_, model.intercept_))
    return LinearClassifier(tuple(map(str, model.classes_)), weights, intercepts, {}, space, {})


def predictions(reader: LinearClassifier, what: str, name: str) -> LabelledPairs:
    """Return pairs of the predicted and the labelled class of a file's messages."""
    given, labels = numbers(what, name, reader.encoder)
    return [({str(reader.predict(one))}, {str(label)}) for one, label in zip(given, labels, strict=True)]


def right(pairs: LabelledPairs) -> float:
    return sum(found == label for found, label in pairs) / len(pairs)


def teach(what: str) -> Iterator[str]:
    beside = STATEMENTS if what == "intents" else ()
    names = (*TAUGHT_BY[what], *beside)
    for space in intents.SPACES:
        others = {name: [one for one in names if one != name] for name in TAUGHT_BY[what]}
        across = [
            pair for name in TAUGHT_BY[what] for pair in predictions(taught_by(what, others[name], space), what, name)
        ]
        reader, sources = taught_by(what, names, space), {name: _hash_of(name) for name in names}
        found = {name: _round_score(score) for name, score in scores(across).items()}
        taught = {"by": sources, "messages": len(across), "accuracy": round(right(across), 3), "scores": found}
        replace(reader, taught=taught).write(intents.reader_path(what, space))
        yield f"{what} {space or 'words'}: of writers not taught by {right(across):.3f} right of {len(across)}"
        yield f"{what} {space or 'words'}: unseen {right(predictions(reader, what, UNSEEN[what])):.3f} right"
        yield from (f"  {name:24} precision {p:.3f} recall {r:.3f}" for name, (p, r) in found.items())


def _hash_of(name: str) -> str:
    return hashlib.sha256((GOLDEN / f"{name}.jsonl").read_bytes()).hexdigest()


def _round_score(score: Score) -> tuple[float, float]:
    return round(score.precision, 3), round(score.recall, 3)


if __name__ == "__main__":
    for line in (*teach("intents"), *teach("phases")):
        sys.stdout.write(f"{line}\n")
