"""The reader of replies finds what the assistant gave, also in messages that taught it nothing. Rows: C7."""

import json
from pathlib import Path

import numpy as np
import pytest

from lab.measuring.clause_labels import GRADES
from lab.teaching.replies import MEASURE, TEACH, build_lesson
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from snapshots.understanding.config import REPLYING
from snapshots.understanding.grading.assistant_reply_classifier import (
    NOTHING,
    SORTS,
    WEIGHTS,
    ReplyClassifier,
    ReplyGrade,
    grade_replies,
    load_reply_classifier,
)
from snapshots.understanding.grading.clause_features import SpokenMessage, find_question
from snapshots.understanding.reading.clauses import split_reply_clauses
from tenants.isolation import tenant_tx
from tests.conftest import World


def grade(message: str, asked: str = "") -> list[ReplyGrade]:
    (given,) = grade_replies([SpokenMessage(message, tuple(split_reply_clauses(message)), find_question(asked))])
    return given


@pytest.mark.parametrize(
    ("message", "sort"),
    [
        ("I'd recommend Kafka on the Shore", "recommendation"),
        ("I'll remind you at 9", "promise"),
        ("Your confirmation number is ZK4419", "figure"),
        ("The song is called Clair de Lune", "name"),
        ("推荐你看《三体》", "recommendation"),
        ("我明天早上八点提醒你", "promise"),
        ("航班号MU5137", "figure"),
    ],
)
def test_what_may_be_asked_for_later_is_found(message: str, sort: str) -> None:
    (given,) = grade(message)
    assert (given.sort, given.worth >= REPLYING.kept_from) == (sort, True)


@pytest.mark.parametrize(
    "message",
    [
        "Hello! How are you?",
        "You're welcome",
        "Got it, you're allergic to peanuts",
        "好的,已关灯",
        "不客气",
        "你对花生过敏",
    ],
)
def test_chat_and_what_the_user_is_known_for_is_nothing(message: str) -> None:
    assert all(given.worth < REPLYING.kept_from for given in grade(message))


@pytest.mark.parametrize("name", MEASURE)
def test_figures_on_sets_that_taught_nothing(name: str) -> None:
    lesson = build_lesson([name])
    head = load_reply_classifier().head
    worth = 1 - head.probabilities(lesson.numbers)[:, head.classes.index(NOTHING)]
    kept, gives = worth >= REPLYING.kept_from, lesson.sorts != NOTHING
    assert len(gives) >= 150
    assert gives[kept].mean() >= 0.8
    assert kept[gives].mean() >= 0.7


def test_the_weights_are_those_of_the_labels() -> None:
    assert set(load_reply_classifier().taught["by"]) == set(TEACH)
    assert set(load_reply_classifier().head.classes) == set(SORTS)


def test_no_message_teaches_and_measures() -> None:
    texts = {
        name: {json.loads(line)["text"] for line in (GRADES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()}
        for name in (*TEACH, *MEASURE)
    }
    taught = set[str]().union(*(texts[name] for name in TEACH))
    assert all(taught.isdisjoint(texts[name]) for name in MEASURE)


def test_a_reader_is_kept_as_it_is(tmp_path: Path) -> None:
    reader = load_reply_classifier()
    reader.save(tmp_path / WEIGHTS.name)
    again = ReplyClassifier.load(tmp_path / WEIGHTS.name)
    assert again.taught == reader.taught
    assert np.array_equal(again.head.weights, reader.head.weights)


def test_no_model_is_asked_in_a_transaction(world: World) -> None:
    with tenant_tx(world.acme.tenant.id), pytest.raises(ModelCallInTransaction):
        grade("I'd recommend the blue one over there")


def test_nothing_gives_nothing() -> None:
    assert grade("") == grade("...") == []
