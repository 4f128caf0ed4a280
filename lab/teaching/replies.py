"""Teach the reader of replies: ``make evaluation``, then ``python -m lab.teaching.replies``, env set.

Writes ``snapshots/understanding/grading/replies.npz``. ``--across`` prints how well each fifth of the lesson is read by
a reader that the rest taught; ``--measure`` prints the figures of the sets that teach nothing, as the reader is.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.measuring.clause_labels import GRADES
from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders
from snapshots.understanding.config import REPLYING
from snapshots.understanding.grading.clause_classifier import Regression
from snapshots.understanding.grading.clause_features import SpokenMessage, find_question, list_texts_to_embed
from snapshots.understanding.grading.reply_classifier import (
    NOTHING,
    SORTS,
    ReplyClassifier,
    load_reply_classifier,
    reply_features,
)
from snapshots.understanding.grading.sentence_vectors import ENCODER
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
    sorts: npt.NDArray[np.str_]
    messages: npt.NDArray[np.int64]
    names: npt.NDArray[np.str_]


def build_lesson(names: Sequence[str]) -> ReplyLesson:
    labelled = [(name, *one) for name in names for one in _label_sentences(name)]
    (encoder,) = embedders(ENCODER)
    wanted = list_texts_to_embed([spoken for _, spoken, _ in labelled])
    parts = [encoder.embed(wanted[start : start + 256]) for start in range(0, len(wanted), 256)]
    vectors = dict(zip(wanted, np.concatenate(parts), strict=True))
    return ReplyLesson(
        np.concatenate([reply_features(spoken, vectors) for _, spoken, _ in labelled]),
        np.array([sort for _, _, sorts in labelled for sort in sorts]),
        np.array([number for number, (_, _, sorts) in enumerate(labelled) for _ in sorts]),
        np.array([name for name, _, sorts in labelled for _ in sorts]),
    )


def train_classifier(numbers: Float32, sorts: npt.NDArray[np.str_]) -> Regression:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - of the group `evaluation`

    model = LogisticRegression(C=STRICTNESS, max_iter=300, tol=1e-3).fit(numbers, sorts)
    return Regression(
        tuple(map(str, model.classes_)), np.asarray(model.coef_, np.float32), np.asarray(model.intercept_, np.float32)
    )


def render_figures(shares: Float32, classes: Sequence[str], wanted: npt.NDArray[np.str_], title: str) -> Iterator[str]:
    worth = 1 - shares[:, list(classes).index(NOTHING)]
    gives = wanted != NOTHING
    for least in (0.4, 0.5, 0.6):
        kept = worth >= least
        yield (
            f"{title}: kept from {least}: precision {gives[kept].mean():.3f} recall {kept[gives].mean():.3f} "
            f"of {gives.sum()} in {len(wanted)}"
        )
    kept = gives & (worth >= REPLYING.kept_from)
    exact = np.array(classes)[np.where(np.array(classes) == NOTHING, -1, shares).argmax(axis=1)] == wanted
    yield f"{title}: sort right, of the kept {exact[kept].mean():.3f}"


def cross_validate() -> Iterator[str]:
    """Yield the figures of each teaching set, cross-validated by fifths of all messages."""
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
    sources = {name: hashlib.sha256((GRADES / f"{name}.jsonl").read_bytes()).hexdigest()[:16] for name in TEACH}
    version = hashlib.sha256("".join(sources.values()).encode()).hexdigest()[:8]
    taught = {"version": f"replies-{version}", "by": sources, "clauses": len(lesson.sorts), "classes": head.classes}
    ReplyClassifier(head, taught).save()


def _label_sentences(name: str) -> Iterator[tuple[SpokenMessage, list[str]]]:
    for line in (GRADES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
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


def main(arguments: Sequence[str]) -> None:
    lines = measure() if "--measure" in arguments else cross_validate() if "--across" in arguments else None
    if lines is None:
        teach()
        return
    for line in lines:
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
