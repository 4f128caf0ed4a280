"""Teach the relevance of notes: ``make evaluation``, then ``python -m lab.teaching.relevance``, env set.

Writes ``snapshots/relevance/questions.npz`` (does a question need memory?) and ``notes.npz`` (does this note help?).
``--across`` prints the figures of the people, cross-validated by fourths, ``--measure`` those of the sets that teach
nothing, with the stored readers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np

from lab.measuring.golden_sets import GOLDEN, load_rows
from lab.measuring.relevance_baselines import FIRST, LOST, compute_average_precision
from lab.standalone import run_program
from lab.teaching import question_needs as teach_questions
from lab.teaching.question_needs import LANGUAGES, QuestionLesson, embed_lessons, load_lessons
from lab.teaching.training import Flags, fit_regression, hash_sets, name_version
from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.contracts import Embedder
from memory_platform.providers.registry import embedders, word_relations
from snapshots.embedding.index_row_packing import TEXT, pack_postings, pack_vector_rows
from snapshots.embedding.indexed_text import SpokenTurn, index_note_or_reply, index_text
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.memory_indexes.memory_index import MemoryIndex, build_index
from snapshots.recall.question import make_probe
from snapshots.recall.ranking.memory_relevance import join_encoder_vectors
from snapshots.recall.ranking.memory_scores import score_memories
from snapshots.recall.values import MemoryRow
from snapshots.relevance.config import RELEVANCE
from snapshots.relevance.note_relevance_model import (
    NoteRelevanceModel,
    QuestionNotePairs,
    compute_pair_features,
    load_note_reader,
    project_pairs_on_axes,
)
from snapshots.relevance.question_needs_model import QuestionNeedsModel, load_question_reader

# Directions that vectors are seen along; 24 and 40 and 64 rank as well across people (mean precision within .006).
AXES = 32
# Notes teach by where they stand among each other alone.
AS_THEY_ARE = replace(RELEVANCE, few_notes=0)
# Inverse strength of the regularisation (scikit-learn's C) of the reader of notes; of .003, .01, .03 the best.
STRICTNESS = 0.03
WITHOUT_NOTES = ("needs", "frames", "replies")
FOLDS = 4
BINS = (0, 0.05, 0.2, 0.5, 1.1)
# Besides with all notes, each question teaches with some of them: so many, for a memory that has just begun.
SMALLEST, LARGEST = 2, 12
NOW = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    person: str
    language: str
    query: str
    pairs: QuestionNotePairs
    helps: Flags
    could: Flags

    @property
    def needs(self) -> bool:
        """Whether a note helps, or could."""
        return bool(self.helps.any() or self.could.any())


def load_labelled_questions(half: str) -> list[LabelledQuestion]:
    return [
        one
        for language in LANGUAGES
        for person in load_rows(f"relevance/{language}_{half}")
        for one in _list_questions(person, language)
    ]


def train_question_reader(questions: Sequence[LabelledQuestion]) -> QuestionNeedsModel:
    alone = load_lessons("teach")
    lessons = [*(QuestionLesson(one.query, one.language, one.needs) for one in questions), *alone]
    vectors = np.concatenate([np.stack([_require_question_vector(one) for one in questions]), embed_lessons(alone)])
    return teach_questions.teach_questions(lessons, vectors)


def teach_notes(questions: Sequence[LabelledQuestion]) -> NoteRelevanceModel:
    """Return a reader of notes taught by the questions among these that something helps."""
    lessons = [lesson for one in questions if one.helps.any() for lesson in _make_lessons(one)]
    every = np.concatenate(
        [np.concatenate([_require_vectors(one), _require_question_vector(one)[None]]) for one in questions]
    )
    centre = every.mean(axis=0)
    axes = np.linalg.svd(every - centre, full_matrices=False)[2][:AXES].T
    compared = np.concatenate([compute_pair_features(one.pairs, AS_THEY_ARE) for one in lessons])
    meant = np.concatenate(
        [project_pairs_on_axes(_require_vectors(one), _require_question_vector(one), centre, axes) for one in lessons]
    )
    helps, kept = (np.concatenate([getattr(one, name) for one in lessons]) for name in ("helps", "could"))

    def fit_weights(numbers: Float32) -> Float32:
        model = fit_regression(numbers[~kept], helps[~kept], strictness=STRICTNESS, max_iter=300, tol=1e-3)
        return np.append(model.coef_[0], model.intercept_[0]).astype(np.float32)

    by_meaning, by_words = fit_weights(np.concatenate([compared, meant], axis=1)), fit_weights(compared[:, 1:])
    return NoteRelevanceModel(by_meaning, by_words, centre.astype(np.float32), axes.astype(np.float32), {})


def render_figures(questions: Sequence[LabelledQuestion], scores: Sequence[Float32], title: str) -> Iterator[str]:
    for language in LANGUAGES:
        own = [(one, score) for one, score in zip(questions, scores, strict=True) if one.language == language]
        ranked = [(one.helps, score.astype(np.float64)) for one, score in own if one.helps.any()]
        precise = np.mean([compute_average_precision(helps, score) for helps, score in ranked])
        first = np.mean([helps[np.argsort(-score)[:FIRST]].sum() / helps.sum() for helps, score in ranked])
        best, nothing = [score.max() for _, score in ranked], [score.max() for one, score in own if not one.needs]
        abstains = np.mean(np.array(nothing) < np.quantile(best, LOST))
        told = ", ".join(render_calibration([score for _, score in own], [one.helps for one, _ in own]))
        yield f"{title} {language}: precision {precise:.3f}, first {FIRST} {first:.3f}, nothing {abstains:.2f}; {told}"


def render_calibration(scores: Sequence[Float32], helps: Sequence[Flags]) -> Iterator[str]:
    """Yield the share of notes that help, by the probability that they were given."""
    given, true = np.concatenate(scores), np.concatenate(helps)
    for low, high in pairwise(BINS):
        within = (given >= low) & (given < high)
        if within.any():
            yield f"from {low} {true[within].mean():.2f}"


def cross_validate() -> Iterator[str]:
    asked = load_labelled_questions("teach")
    people = sorted({one.person for one in asked})
    scores: dict[int, Float32] = {}
    for fold in range(FOLDS):
        held = set(people[fold::FOLDS])
        others = [one for one in asked if one.person not in held]
        questions, notes = train_question_reader(others), teach_notes(others)
        scores |= {id(one): _score_notes(one, questions, notes) for one in asked if one.person in held}
    yield from render_figures(asked, [scores[id(one)] for one in asked], "across people")


def measure() -> Iterator[str]:
    asked = load_labelled_questions("measure")
    yield from render_figures(
        asked, [_score_notes(one, load_question_reader(), load_note_reader()) for one in asked], "measured"
    )
    alone = load_lessons("measure")
    found = [
        load_question_reader().predict_needs(one.text, row)
        for one, row in zip(alone, embed_lessons(alone), strict=True)
    ]
    yield from teach_questions.render_figures(alone, found)


def teach() -> None:
    names = [f"{name}_teach" for name in (*LANGUAGES, *WITHOUT_NOTES)]
    taught = name_version("relevance", hash_sets(GOLDEN / "relevance", names))
    asked = load_labelled_questions("teach")
    questions, notes = train_question_reader(asked), teach_notes(asked)
    replace(questions, taught=taught).save()
    replace(notes, taught=taught).save()


def build_note_index(texts: Sequence[str]) -> MemoryIndex:
    turns = [SpokenTurn(text, None, NOW) for text in texts]
    indexed = [index_note_or_reply(index_text(turn), turn) for turn in turns]
    vectors = _encoder().embed([one.dated for one in indexed])
    rows = [
        MemoryRow(
            id=UUID(int=place), kind="note", lex=pack_postings(one), created_at=NOW, dense=dense, space=_encoder().name
        )
        for place, (one, dense) in enumerate(zip(indexed, pack_vector_rows(vectors, vectors), strict=True))
    ]
    return build_index(rows, {_encoder().name: _encoder().dimensions})


def compute_pairs(index: MemoryIndex, question: str) -> QuestionNotePairs:
    """Return the features of a question with each note of ``index``, as recall computes them."""
    vector = _encoder().embed([question])[0]
    relations = word_relations(embedders("wordllama"))
    probe = make_probe(question, {_encoder().name: vector}, DEFAULT_RECALL.scoring, relations)
    scores = score_memories(index, probe, DEFAULT_RECALL.scoring)
    words, cosines = scores.keyword[0], scores.dense.max(axis=0)
    return QuestionNotePairs(words, index.lengths[TEXT], cosines, probe.is_chinese, join_encoder_vectors(index), vector)


def _list_questions(person: dict[str, Any], language: str) -> Iterator[LabelledQuestion]:
    index = build_note_index([note["text"] for note in person["notes"]])
    for question in person["questions"]:
        helps, could = (
            np.array([note["id"] in question.get(name, ()) for note in person["notes"]]) for name in ("helps", "some")
        )
        yield LabelledQuestion(
            person["id"], language, question["query"], compute_pairs(index, question["query"]), helps, could & ~helps
        )


def _make_lessons(one: LabelledQuestion) -> Iterator[LabelledQuestion]:
    yield one
    chance = np.random.default_rng(len(one.helps) + int(1e6 * abs(float(_require_question_vector(one)[0]))))
    few = chance.permutation(len(one.helps))[: chance.integers(SMALLEST, LARGEST)]
    words, lengths, cosines = (getattr(one.pairs, name)[few] for name in ("words", "lengths", "cosines"))
    some = QuestionNotePairs(
        words, lengths, cosines, one.pairs.is_chinese, _require_vectors(one)[few], one.pairs.question
    )
    yield LabelledQuestion(one.person, one.language, one.query, some, one.helps[few], one.could[few])


def _score_notes(one: LabelledQuestion, questions: QuestionNeedsModel, notes: NoteRelevanceModel) -> Float32:
    needs = questions.predict_needs(one.query, _require_question_vector(one)).memory
    return np.asarray(needs * notes.probabilities(one.pairs), np.float32)


def _require_vectors(one: LabelledQuestion) -> Float32:
    if one.pairs.vectors is None:
        raise ValueError("teaching needs vectors")
    return one.pairs.vectors


def _require_question_vector(one: LabelledQuestion) -> Float32:
    if one.pairs.question is None:
        raise ValueError("teaching needs vectors")
    return one.pairs.question


def _encoder() -> Embedder:
    return embedders("use")[0]


if __name__ == "__main__":
    run_program(teach, across=cross_validate, measure=measure)
