"""Teach the reader of clauses: ``make evaluation``, then ``python -m lab.teaching.clauses``, env set.

Writes ``snapshots/understanding/grading/clauses.npz``. ``--across`` also prints how well each writer's clauses are read
by a reader that the others taught; ``--measure`` prints the figures of the sets that teach nothing, as the reader is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.measuring.clause_labels import (
    GRADES,
    MEASURE,
    NOT_VITAL,
    QUESTIONS,
    SELF,
    TEACH,
    Label,
    load_labelled_messages,
)
from lab.standalone import run_program
from lab.teaching.training import (
    Flags,
    Strings,
    compute_mean_share,
    embed_texts,
    fit_regression,
    hash_sets,
    name_version,
    read_weights,
    render_shares,
    select_places,
)
from memory_platform.kernel.linear_model import Float32
from snapshots.understanding.config import NOTING
from snapshots.understanding.grading.clause_classifier import (
    LASTING,
    ClauseClassifier,
    Regression,
    load_clause_classifier,
)
from snapshots.understanding.grading.clause_features import compute_clause_features, list_texts_to_embed

# Inverse strength of the regularisation (scikit-learn's C): of .03, .1 and .3 the best across writers.
STRICTNESS = 0.1
# Of .3, .1 and .05: with more, clauses of real talk are taken for questions.
QUESTIONS_WEIGH = 0.05
VITAL_WEIGHS = 3.0
# Sets that are read together by a reader that all others taught: no writer stands on both sides.
FOLDS = (
    ("utterances", "everyday_zh_a"),
    ("utterances_2", "utterances_3", "utterances_4", "everyday_en_a"),
    ("talk_en_1",),
    ("talk_en_2",),
    ("talk_zh_1",),
    ("talk_zh_2",),
    ("talk_zh_3",),
    ("talk_en_3",),
    ("talk_en_4",),
    ("talk_zh_4",),
    ("talk_en_5",),
    ("talk_zh_5",),
    ("plain_en",),
    ("plain_zh",),
)
TARGETS: dict[str, Callable[[Label], str]] = {
    "grade": lambda label: label.grade,
    "other": lambda label: "no" if label.about == SELF else "yes",
    "change": lambda label: "yes" if label.change or label.grade == "change" else "no",
    "vital": lambda label: label.vital,
}


@dataclass(frozen=True, slots=True)
class ClauseLesson:
    """The features (n, features), labels, set names and weights of many clauses."""

    numbers: Float32
    labels: tuple[Label, ...]
    names: Strings
    weights: npt.NDArray[np.float64]

    def select(self, mask: Flags) -> "ClauseLesson":
        labels = tuple(select_places(self.labels, mask))
        return ClauseLesson(self.numbers[mask], labels, self.names[mask], self.weights[mask])


def build_lesson(names: Sequence[str]) -> ClauseLesson:
    messages = [message for name in names for message in load_labelled_messages(name) if message.message.clauses]
    vectors = embed_texts(list_texts_to_embed([message.message for message in messages]))
    found = [(message, compute_clause_features(message.message, vectors)) for message in messages]
    rows = [
        (row, label, message.name)
        for message, numbers in found
        for row, label in zip(numbers, message.labels, strict=True)
        if label is not None
    ]
    weights = np.array([QUESTIONS_WEIGH if name in QUESTIONS else 1.0 for _, _, name in rows])
    return ClauseLesson(
        np.stack([row for row, _, _ in rows]),
        tuple(label for _, label, _ in rows),
        np.array([name for _, _, name in rows]),
        weights,
    )


def train_classifier(lesson: ClauseLesson) -> ClauseClassifier:
    written = ~np.isin(lesson.names, QUESTIONS)
    lasts = np.array([label.grade in LASTING for label in lesson.labels])
    chosen = {"grade": np.ones_like(written), "other": written & lasts, "change": written, "vital": written}
    heads = {name: _fit_regression(lesson.select(chosen[name]), name) for name in TARGETS}
    return ClauseClassifier(heads, {})


def _fit_regression(lesson: ClauseLesson, name: str) -> Regression:
    wanted = np.array([TARGETS[name](label) for label in lesson.labels])
    weights = lesson.weights * np.where((name == "vital") & (wanted != NOT_VITAL), VITAL_WEIGHS, 1.0)
    model = fit_regression(lesson.numbers, wanted, weights, strictness=STRICTNESS, max_iter=300, tol=1e-3)
    return Regression(*read_weights(model))


def render_figures(reader: ClauseClassifier, lesson: ClauseLesson, title: str) -> Iterator[str]:
    grade = reader.heads["grade"]
    shares = grade.probabilities(lesson.numbers)
    lasting = shares[:, np.isin(grade.classes, LASTING)].sum(axis=1)
    wanted = np.array([label.grade for label in lesson.labels])
    lasts = np.isin(wanted, LASTING)
    for least in (0.3, NOTING.held_from, 0.6):
        kept = lasting >= least
        yield (
            f"{title}: lasting from {least}: {render_shares(kept, lasts)} in {len(lasts)}; "
            f"kept of what teaches nothing {compute_mean_share(kept[~lasts]):.3f}"
        )
    kept = lasts & (lasting >= NOTING.held_from)
    exact = np.array(grade.classes)[shares.argmax(axis=1)] == wanted
    other = reader.heads["other"].probabilities(lesson.numbers)[:, 1] >= 0.5
    about = other == np.array([label.about != SELF for label in lesson.labels])
    told = f"all nine grades right {compute_mean_share(exact):.3f}; "
    told += f"about right, of the lasting {compute_mean_share(about[kept]):.3f}"
    yield f"{title}: {told}"
    head = reader.heads["vital"]
    vital = 1 - head.probabilities(lesson.numbers)[:, head.classes.index(NOT_VITAL)]
    is_vital = np.array([label.vital != NOT_VITAL for label in lesson.labels])
    for least in (0.2, 0.5):
        kept = (vital >= least) & (lasting >= 0.2)
        yield f"{title}: vital from {least}: {render_shares(kept, is_vital)}"
    change = reader.heads["change"].probabilities(lesson.numbers)[:, 1] >= 0.5
    ends = np.array([TARGETS["change"](label) == "yes" for label in lesson.labels])
    yield f"{title}: change: {render_shares(change, ends)}"


def cross_validate() -> Iterator[str]:
    """Teach, and yield how well each fold is read by a reader that the others taught."""
    lesson = build_lesson([*TEACH, *QUESTIONS])
    write_classifier(lesson)
    for fold in FOLDS:
        held = np.isin(lesson.names, fold)
        yield from render_figures(train_classifier(lesson.select(~held)), lesson.select(held), " ".join(fold))


def measure() -> Iterator[str]:
    for name in MEASURE:
        yield from render_figures(load_clause_classifier(), build_lesson([name]), name)


def write_classifier(lesson: ClauseLesson) -> None:
    reader = train_classifier(lesson)
    classes = {name: head.classes for name, head in reader.heads.items()}
    taught = name_version("clauses", hash_sets(GRADES, TEACH))
    ClauseClassifier(reader.heads, {**taught, "clauses": len(lesson.labels), "classes": classes}).save()


def teach() -> None:
    write_classifier(build_lesson([*TEACH, *QUESTIONS]))


if __name__ == "__main__":
    run_program(teach, measure=measure, across=cross_validate)
