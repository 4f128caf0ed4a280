"""Teach the readers of intents (X7): ``make evaluation``, then ``python -m tests.golden.teach_intents`` with the
environment. Writes ``snapshots/context/intents_*.json``.

What is said of how well they read comes from writers that they were not taught by: each file is read by a reader that
the other files taught.
"""

# ruff: noqa: E402 -- what is imported below the set-up needs settings

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import django
import numpy as np
import numpy.typing as npt

django.setup()

import snapshots.context.intent_reader as reading
from memory_platform.kernel.linear import Float32, LinearReader
from memory_platform.kernel.text import index_form
from memory_platform.providers.registry import embedders
from snapshots.context.intent import read_by_rules
from tests.golden.labels import HERE, Score, rows, scores

TAUGHT_BY = ("intents", "intents_2", "intents_3")
"""The files of labelled messages, each by another writer or several."""
UNSEEN: tuple[str, ...] = ()
"""Messages that teach nothing, here and for the rules."""
STATEMENTS = ("utterances", "utterances_2", "utterances_3")
"""Files of what people say of themselves; their lines of ``TELLING`` classes that ask nothing are ``general``."""
TELLING = {"explicit", "constraint", "change"}
STRICTNESS = 1.0
"""Inverse strength of the regularisation (scikit-learn's C): 5 read no more across writers."""
KNOWS = {"wordllama-l2_supercat-256": {"en"}, "use-multilingual-v3": {"en", "zh"}, reading.WORDS: {"en", "zh"}}

Labels = npt.NDArray[np.str_]


@cache
def messages(name: str) -> list[tuple[str, str, str]]:
    """Return ``(language, text, intent)`` of a file's lines."""
    if name in STATEMENTS:
        told = (row for row in rows(name) if row["class"] in TELLING and not set(row["text"]) & set("?？"))
        return [(row["language"], row["text"], "general") for row in told]
    return [(row["language"], row["text"], row["intent"]) for row in rows(name)]


@cache
def numbers(name: str, space: str) -> tuple[Float32, Labels]:
    """Return what a file's messages in the languages of a space are read by, shape (n, features), and their intents."""
    given = [one for one in messages(name) if one[0] in KNOWS[space]]
    forms = [index_form(text).strip() for _, text, _ in given]
    vectors: Sequence[Float32 | None] = [None] * len(given)
    if space:
        encoder = next(one for one in embedders("wordllama,use") if one.name == space)
        vectors = list(encoder.embed_questions([text for _, text, _ in given]))
    read = [reading.features(form, read_by_rules(form).intent, own) for form, own in zip(forms, vectors, strict=True)]
    return np.array(read, np.float32), np.array([intent for _, _, intent in given])


def taught_by(names: Sequence[str], space: str) -> LinearReader:
    """Return the reader of a space taught by files."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - of the group `evaluation`

    parts = [numbers(name, space) for name in names]
    model = LogisticRegression(C=STRICTNESS, max_iter=2_000, tol=1e-3, class_weight="balanced")
    model.fit(np.concatenate([given for given, _ in parts]), np.concatenate([labels for _, labels in parts]))
    weights, intercepts = (np.asarray(found, np.float32) for found in (model.coef_, model.intercept_))
    return LinearReader(tuple(map(str, model.classes_)), weights, intercepts, {}, space, {})


def told(reader: LinearReader, name: str) -> list[tuple[set[str], set[str]]]:
    """Return pairs of what a reader tells of a file's messages and what they are."""
    given, labels = numbers(name, reader.encoder)
    return [({str(reader.told(one))}, {str(label)}) for one, label in zip(given, labels, strict=True)]


def right(pairs: Sequence[tuple[set[str], set[str]]]) -> float:
    """Return the share that was told rightly."""
    return sum(found == label for found, label in pairs) / len(pairs)


def teach() -> Iterator[str]:
    """Teach and write each reader, and yield its figures as lines."""
    for space, file in reading.FILES.items():
        others = {name: [one for one in (*TAUGHT_BY, *STATEMENTS) if one != name] for name in TAUGHT_BY}
        across = [pair for name in TAUGHT_BY for pair in told(taught_by(others[name], space), name)]
        reader = taught_by((*TAUGHT_BY, *STATEMENTS), space)
        sources = {name: _hash_of(name) for name in (*TAUGHT_BY, *STATEMENTS)}
        found = {name: _shown(score) for name, score in scores(across).items()}
        taught = {"by": sources, "messages": len(across), "accuracy": round(right(across), 3), "scores": found}
        replace(reader, taught=taught).write(Path(reading.__file__).with_name(file))
        yield f"{file}: of writers not taught by {right(across):.3f} right of {len(across)}"
        yield from (f"{file}: {name} {right(told(reader, name)):.3f} right" for name in UNSEEN)
        yield from (f"  {name:24} precision {p:.3f} recall {r:.3f}" for name, (p, r) in found.items())


def _hash_of(name: str) -> str:
    return hashlib.sha256((HERE / f"{name}.jsonl").read_bytes()).hexdigest()


def _shown(score: Score) -> tuple[float, float]:
    return round(score.precision, 3), round(score.recall, 3)


if __name__ == "__main__":
    for line in teach():
        sys.stdout.write(f"{line}\n")
