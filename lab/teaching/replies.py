"""Teach the reader of replies: ``make evaluation``, then ``python -m lab.teaching.replies``, env set.

Writes ``snapshots/understanding/grading/replies.npz``. ``--across`` prints how well each fifth of the lesson is read by
a reader that the rest taught; ``--measure`` prints the figures of the sets that teach nothing, as the reader is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.measuring.clause_labels import GRADES
from lab.measuring.golden_sets import load_rows
from lab.standalone import run_program
from lab.teaching.training import (
    Strings,
    embed_texts,
    fit_regression,
    hash_sets,
    name_version,
    read_weights,
    render_shares,
)
from memory_platform.kernel.linear_model import Float32
from snapshots.understanding.config import REPLYING
from snapshots.understanding.grading.assistant_reply_classifier import (
    NOTHING,
    SORTS,
    ReplyClassifier,
    compute_reply_features,
    load_reply_classifier,
)
from snapshots.understanding.grading.clause_classifier import Regression
from snapshots.understanding.grading.clause_features import SpokenMessage, find_question, list_texts_to_embed
from snapshots.understanding.reading.clauses import Clause, split_reply_clauses

TEACH = ("replies_en_a", "replies_zh_a")
MEASURE = ("replies_en_b", "replies_zh_b")
# Inverse strength of the regularisation (scikit-learn's C): of .03, .1, .3 and 1 the best across fifths.
STRICTNESS = 0.1
FOLDS = 5


@dataclass(frozen=True, slots=True)
class ReplyLesson:
    """The numbers (n, features) and sorts of many clauses, and the message and the set of each."""

    numbers: Float32
    sorts: Strings
    messages: npt.NDArray[np.int64]
    names: Strings


def build_lesson(names: Sequence[str]) -> ReplyLesson:
    labelled = [(name, *one) for name in names for one in _label_sentences(name)]
    vectors = embed_texts(list_texts_to_embed([spoken for _, spoken, _ in labelled]))
    return ReplyLesson(
        np.concatenate([compute_reply_features(spoken, vectors) for _, spoken, _ in labelled]),
        np.array([sort for _, _, sorts in labelled for sort in sorts]),
        np.array([number for number, (_, _, sorts) in enumerate(labelled) for _ in sorts]),
        np.array([name for name, _, sorts in labelled for _ in sorts]),
    )


def train_classifier(numbers: Float32, sorts: Strings) -> Regression:
    return Regression(*read_weights(fit_regression(numbers, sorts, strictness=STRICTNESS, max_iter=300, tol=1e-3)))


def render_figures(shares: Float32, classes: Sequence[str], labels: Strings, title: str) -> Iterator[str]:
    worth = 1 - shares[:, list(classes).index(NOTHING)]
    gives = labels != NOTHING
    for least in (0.4, 0.5, 0.6):
        yield f"{title}: kept from {least}: {render_shares(worth >= least, gives)} in {len(labels)}"
    kept = gives & (worth >= REPLYING.kept_from)
    exact = np.array(classes)[np.where(np.array(classes) == NOTHING, -1, shares).argmax(axis=1)] == labels
    yield f"{title}: sort right, of the kept {exact[kept].mean():.3f}"


def cross_validate() -> Iterator[str]:
    lesson = build_lesson(TEACH)
    shares = np.zeros((len(lesson.sorts), len(SORTS)), np.float32)
    for fold in range(FOLDS):
        held = lesson.messages % FOLDS == fold
        head = train_classifier(lesson.numbers[~held], lesson.sorts[~held])
        shares[held] = head.probabilities(lesson.numbers[held])
    for name in TEACH:
        own = lesson.names == name
        yield from render_figures(shares[own], head.classes, lesson.sorts[own], name)


def measure() -> Iterator[str]:
    for name in MEASURE:
        lesson = build_lesson([name])
        head = load_reply_classifier().head
        yield from render_figures(head.probabilities(lesson.numbers), head.classes, lesson.sorts, name)


def teach() -> None:
    lesson = build_lesson(TEACH)
    head = train_classifier(lesson.numbers, lesson.sorts)
    taught = name_version("replies", hash_sets(GRADES, TEACH))
    ReplyClassifier(head, {**taught, "clauses": len(lesson.sorts), "classes": head.classes}).save()


def _label_sentences(name: str) -> Iterator[tuple[SpokenMessage, list[str]]]:
    for row in load_rows(f"grades/{name}"):
        clauses = tuple(split_reply_clauses(row["text"]))
        yield (
            SpokenMessage(row["text"], clauses, find_question(row["previous"] or "")),
            [_find_clause_sort(one, row) for one in clauses],
        )


def _find_clause_sort(clause: Clause, row: dict[str, list[dict[str, str]]]) -> str:
    at, shared = 0, []
    for part in row["clauses"]:
        start = str(row["text"]).index(part["text"], at)
        at = start + len(part["text"])
        shared.append((min(at, clause.end) - max(start, clause.start), part["sort"]))
    return max(shared, key=lambda one: one[0])[1]


if __name__ == "__main__":
    run_program(teach, measure=measure, across=cross_validate)
