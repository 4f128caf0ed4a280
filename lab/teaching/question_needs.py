"""Teach the needs of questions; :mod:`lab.teaching.relevance` calls it. ``make evaluation``, env set.

``python -m lab.teaching.question_needs`` prints figures cross-validated by fifths: how many questions that need nothing
would stay without an answer if one in twenty of the others did, and how many of those that ask for the assistant's
words are told from the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.measuring.golden_sets import load_rows
from lab.standalone import run_program
from lab.teaching.training import fit_regression
from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders
from snapshots.relevance.question_needs_model import QuestionNeeds, QuestionNeedsModel, compute_question_features

LANGUAGES = ("en", "zh")
TEACH = ("needs_teach", "needs_teach_2", "needs_teach_3")
MEASURE = ("needs_measure", "needs_measure_2", "needs_measure_3", "needs_measure_4")
# Inverse strength of the regularisation (scikit-learn's C); .3 to 3 read alike.
STRICTNESS = 1.0
# Directions along which products are taken; without any, questions are read by .05 less in each language.
AXES = 64
# What a question made of a frame weighs beside one that somebody wrote.
OF_FRAMES = 0.5
FOLDS = 5
LOST = 0.05


@dataclass(frozen=True, slots=True)
class QuestionLesson:
    """A question and whether it asks for memories and for the assistant's replies. None: not known."""

    text: str
    language: str
    memory: bool | None
    replies: bool | None = False
    weight: float = 1.0


def load_lessons(half: str) -> list[QuestionLesson]:
    names = TEACH if half == "teach" else MEASURE
    found = [
        QuestionLesson(one["text"], one["language"], one["needs"], None if one["kind"] == "recall" else False)
        for name in names
        for one in load_rows(f"relevance/{name}")
    ]
    if half == "teach":
        found += [
            QuestionLesson(one["text"], one["language"], one["needs"], False, OF_FRAMES)
            for one in load_rows("relevance/frames_teach")
        ]
        found += [
            QuestionLesson(one["text"], one["language"], True if one["asks"] else None, one["asks"])
            for one in load_rows("relevance/replies_teach")
        ]
    return found


def embed_lessons(lessons: Sequence[QuestionLesson]) -> Float32:
    return np.asarray(embedders("use")[0].embed([one.text for one in lessons]), np.float32)


def teach_questions(lessons: Sequence[QuestionLesson], vectors: Float32) -> QuestionNeedsModel:
    centre = vectors.mean(axis=0)
    axes = np.linalg.svd(vectors - centre, full_matrices=False)[2][:AXES].T
    numbers = np.stack(
        [compute_question_features(one.text, row, centre, axes) for one, row in zip(lessons, vectors, strict=True)]
    )
    both = [_fit_weights(numbers, lessons, name) for name in QuestionNeeds._fields]
    weights = np.stack([one[:-1] for one in both])
    return QuestionNeedsModel(weights, np.array([one[-1] for one in both], np.float32), centre, axes, {})


def render_figures(lessons: Sequence[QuestionLesson], needs: Sequence[QuestionNeeds]) -> Iterator[str]:
    """Yield how well questions are told apart, two lines a language."""
    for language in LANGUAGES:
        own = [(one, wants) for one, wants in zip(lessons, needs, strict=True) if one.language == language]
        nothing, something = (_select_probabilities(own, "memory", label=wanted) for wanted in (False, True))
        least = np.quantile(something, LOST)
        told = ", ".join(
            f"below {at} {np.mean(nothing < at):.2f} and {np.mean(something < at):.3f}" for at in (0.2, 0.5)
        )
        spared = np.mean(nothing < least)
        yield f"{language}: of {len(nothing)} that need nothing {spared:.2f} below {least:.2f}; {told}"
        other, asking = (_select_probabilities(own, "replies", label=wanted) for wanted in (False, True))
        if asking.size:
            told = ", ".join(f"from {at} {np.mean(asking >= at):.2f}, {np.mean(other >= at):.3f}" for at in (0.2, 0.5))
            yield f"{language}: of {len(asking)} that ask for replies, and of {len(other)} that do not: {told}"


def cross_validate() -> Iterator[str]:
    lessons = load_lessons("teach")
    vectors, fold = embed_lessons(lessons), np.random.default_rng(1).integers(0, FOLDS, len(lessons))
    found = [QuestionNeeds()] * len(lessons)
    for held in range(FOLDS):
        others = np.flatnonzero(fold != held)
        reader = teach_questions([lessons[place] for place in others], vectors[others])
        for place in np.flatnonzero(fold == held):
            found[place] = reader.predict_needs(lessons[place].text, vectors[place])
    written = [place for place, one in enumerate(lessons) if one.weight == 1]
    yield from render_figures([lessons[place] for place in written], [found[place] for place in written])


def _fit_weights(numbers: Float32, lessons: Sequence[QuestionLesson], name: str) -> Float32:
    known = [place for place, one in enumerate(lessons) if getattr(one, name) is not None]
    wanted, weights = zip(*((getattr(lessons[place], name), lessons[place].weight) for place in known), strict=True)
    model = fit_regression(numbers[known], wanted, weights, strictness=STRICTNESS, max_iter=300)
    return np.append(model.coef_[0], model.intercept_[0]).astype(np.float32)


def _select_probabilities(
    own: Sequence[tuple[QuestionLesson, QuestionNeeds]], name: str, *, label: bool
) -> npt.NDArray[np.float64]:
    return np.array([getattr(wants, name) for one, wants in own if getattr(one, name) is label])


if __name__ == "__main__":
    run_program(cross_validate)
