"""The taught readers of relevance: sentences that taught nothing, and what may be missing. Rows: X12, R3."""

from dataclasses import replace

import numpy as np
import pytest

from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.relevance.config import ENCODER_SPACE, RELEVANCE
from snapshots.relevance.note_relevance_model import (
    NoteRelevanceModel,
    QuestionNotePairs,
    compute_pair_features,
    load_note_reader,
    project_pairs_on_axes,
)
from snapshots.relevance.question_needs_model import QuestionNeeds, load_question_reader, predict_question_needs
from snapshots.relevance.statement_relevance import score_statements

NOTHING = (
    "How many metres are there in a nautical mile?",
    "Translate 'where is the station' into Portuguese",
    "thanks, that will be all",
    "光年是时间单位还是长度单位",
    "把“祝你好运”翻成法语",
    "好的，没别的事了",
)
SOMETHING = (
    "What should I cook for everyone on Saturday?",
    "Where do I usually park at work?",
    "anything I should watch out for at the dentist?",
    "周末带孩子去哪儿玩好",
    "帮我给老婆挑个生日礼物",
    "我上次说的那个药叫什么来着",
)
REPLIES = (
    "What was that hiking trail called again, the one from your list?",
    "send me the model of the blender once more",
    "which of the tents did you like best?",
    "那个加湿器什么型号来着",
    "上回说的那家书店在哪",
    "你给我算的学费是多少来着",
)
OWN = ("When is my next check-up?", "Where does my brother live?", "我儿子几点放学", "我的航班几点起飞")
ABOUT_FOOD, ABOUT_CAR = "My daughter is allergic to peanuts", "The spare key of the car hangs in the garage"
OTHERS = ("I play chess on Mondays", "My sister works as a nurse", "I am learning Dutch", "We moved to Leeds in May")


def vector(text: str) -> Float32:
    return np.asarray(embedders("use")[0].embed([text])[0], np.float32)


def pairs(question: str, *notes: str) -> QuestionNotePairs:
    vectors, asked = np.stack([vector(note) for note in notes]), vector(question)
    nothing = np.zeros(len(notes), np.float32)
    lengths = np.full(len(notes), 6, np.float32)
    return QuestionNotePairs(nothing, lengths, vectors @ asked, is_chinese=False, vectors=vectors, question=asked)


@pytest.mark.parametrize(
    ("note", "question", "beside"),
    [
        ("My dentist is Dr Weber", "Who is my dentist?", "How do I get to the airport?"),
        ("The spare key is with Mrs Alvarez", "Who has the spare key?", "What should I wear to the wedding?"),
        (ABOUT_FOOD, "Suggest a dinner for the family", "Which film did I like?"),
        ("我的猫叫团子", "我的猫叫什么名字", "帮我选一条跑步路线"),
    ],
)
def test_the_only_note_helps_where_it_answers_and_not_beside_that(note: str, question: str, beside: str) -> None:
    of_own, of_other = (load_note_reader().probabilities(pairs(one, note))[0] for one in (question, beside))
    assert of_own > DEFAULT_CONTEXT.min_relevance > of_other


@pytest.mark.parametrize("question", NOTHING)
def test_a_question_that_needs_nothing_is_told(question: str) -> None:
    assert predict_question_needs(question, {ENCODER_SPACE: vector(question)}).memory < DEFAULT_CONTEXT.least_need


@pytest.mark.parametrize("question", SOMETHING)
def test_a_question_that_needs_memory_is_told(question: str) -> None:
    assert predict_question_needs(question, {ENCODER_SPACE: vector(question)}).memory > DEFAULT_CONTEXT.sure_need


def test_without_a_vector_of_the_encoder_memory_may_be_needed() -> None:
    nothing, short = np.zeros(512, np.float32), np.ones(24, np.float32)
    assert predict_question_needs("When is it?", {}) == QuestionNeeds()
    for space, row in (("another", short), (ENCODER_SPACE, nothing), (ENCODER_SPACE, short)):
        assert predict_question_needs("When is it?", {space: row}) == QuestionNeeds()


@pytest.mark.parametrize("question", REPLIES)
def test_a_question_asks_for_what_the_assistant_said_in_any_words(question: str) -> None:
    assert predict_question_needs(question, {ENCODER_SPACE: vector(question)}).replies >= RELEVANCE.asked_from


@pytest.mark.parametrize("question", [*NOTHING, *OWN])
def test_a_question_that_asks_for_something_else_asks_for_no_reply(question: str) -> None:
    assert predict_question_needs(question, {ENCODER_SPACE: vector(question)}).replies < RELEVANCE.asked_from


def test_a_question_of_any_length_is_read() -> None:
    long = "x " * 200_000
    assert 0 <= predict_question_needs(long, {ENCODER_SPACE: vector("x")}).memory <= 1
    assert 0 <= predict_question_needs("", {ENCODER_SPACE: vector("x")}).memory <= 1


def test_a_note_that_shares_no_word_helps_where_its_meaning_is_asked_for() -> None:
    food, car, *_ = load_note_reader().probabilities(pairs("Plan a menu for the party", ABOUT_FOOD, ABOUT_CAR, *OTHERS))
    assert food > 3 * car
    asked = "I am locked out, how do I drive home?"
    food, car, *_ = load_note_reader().probabilities(pairs(asked, ABOUT_FOOD, ABOUT_CAR, *OTHERS))
    assert car > food


def test_a_note_without_a_vector_goes_by_its_words() -> None:
    held = pairs("Who is allergic?", ABOUT_FOOD, ABOUT_CAR)
    assert held.vectors is not None
    half = QuestionNotePairs(
        np.array([4, 0], np.float32), held.lengths, np.zeros(2, np.float32), False, np.zeros_like(held.vectors), None
    )
    named, other = load_note_reader().probabilities(half)
    assert named > other
    none = QuestionNotePairs(np.zeros(0, np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32), False)
    assert load_note_reader().probabilities(none).tolist() == []


def test_what_is_seen_of_notes_once_reads_each_question_as_it_was_taught() -> None:
    reader, one = load_note_reader(), pairs("Plan a menu for the party", ABOUT_FOOD, ABOUT_CAR, *OTHERS)
    assert one.vectors is not None
    assert one.question is not None
    meant = np.concatenate(
        [compute_pair_features(one), project_pairs_on_axes(one.vectors, one.question, reader.centre, reader.axes)],
        axis=1,
    )
    taught = 1 / (1 + np.exp(-(meant @ reader.by_meaning[:-1] + reader.by_meaning[-1])))
    assert np.allclose(reader.probabilities(one), taught, atol=1e-5)
    chosen = np.array([True, False, True, True, False, True])
    seen = reader.project_notes(one.vectors, np.arange(6)).select_rows(chosen)
    few = {name: getattr(one, name)[chosen] for name in ("words", "lengths", "cosines", "vectors")}
    anew, before = replace(one, **few), replace(one, **few | {"vectors": None})
    assert np.allclose(reader.probabilities(before, seen), reader.probabilities(anew), atol=1e-6)


def test_readers_survive_being_written_and_say_what_taught_them(tmp_path) -> None:  # type: ignore[no-untyped-def]
    reader = load_note_reader()
    reader.save(tmp_path / "notes.npz")
    again, asked = NoteRelevanceModel.load(tmp_path / "notes.npz"), pairs("dinner?", ABOUT_FOOD, ABOUT_CAR)
    assert again.probabilities(asked).tolist() == reader.probabilities(asked).tolist()
    assert load_question_reader().taught == reader.taught


def test_statements_are_judged_by_where_they_stand_however_many_there_are() -> None:
    few, many = (np.append(np.zeros(size), 4).astype(np.float32) for size in (20, 2000))
    assert score_statements(few)[-1] > 0.9
    assert score_statements(many)[-1] > score_statements(many)[0] * 100
    assert score_statements(np.zeros(0, np.float32)).tolist() == []
    one = score_statements(np.ones(1, np.float32))
    assert 0.3 < float(one[0]) < 0.6
