"""Turns that rules do not understand, judged by a model in the worker. Rows: G3, L1. Matrix: 37, 38."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from snapshots.feedback.reading.model_judge import is_unclear
from snapshots.feedback.reading.sense_classifier import classify_turns
from snapshots.feedback.values import AnsweredTurn
from snapshots.jobs import HANDLERS
from snapshots.models import Receipt, WorkKind
from snapshots.queue.draining.drain import drain_work
from tenants.isolation import tenant_tx
from tenants.models import ModelRoute, ModelUsage
from tests.conftest import House, World
from tests.model_server import ModelServer
from tests.snapshots.feedback.telling import ask, known_parts, signals, tell
from tests.snapshots.held import remember, say
from tests.snapshots.understanding.chatting import BAD_ANSWERS, asked_of, chat_server, says

LUNCH = "What could I have for lunch?"
ANSWER = "The Thai place cooks without peanuts."
UNCLEAR = "Grandfather waters tomatoes at dawn"
LUNCH_ZH, ANSWER_ZH, UNCLEAR_ZH = "中午吃什么好?", "泰国菜馆不放花生。", "外公清早浇番茄"


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with chat_server(settings, "judge") as running:
        yield running


@pytest.fixture
def acme(world: World) -> House:
    remember(world.acme, "Ada is allergic to peanuts", "Ada 对花生过敏")
    return world.acme


def verdicts(*given: tuple[int, str, str]) -> dict[str, Any]:
    return {"verdicts": [{"turn": turn, "sense": sense, "quote": quote} for turn, sense, quote in given]}


def answer_by_turn(
    house: House, turn: str, *, question: str = LUNCH, answer: str = ANSWER, conversation: str = "trip"
) -> Receipt:
    """Have a context answered by a posted turn, and the worker hear it."""
    say(house, question, conversation="trip")
    receipt = ask(house, question, conversation="trip")
    say(house, answer, conversation="trip", role="assistant")
    say(house, turn, conversation="trip")
    work(house)
    return receipt


def work(house: House) -> None:
    drain_work(house.tenant.id, {WorkKind.EXTRACT: HANDLERS[WorkKind.EXTRACT]})


@pytest.mark.parametrize(
    ("question", "answer", "turn", "quote"),
    [(LUNCH, ANSWER, UNCLEAR, "waters tomatoes"), (LUNCH_ZH, ANSWER_ZH, UNCLEAR_ZH, "浇番茄")],
)
def test_what_rules_do_not_understand_a_model_judges_by_the_users_words(
    acme: House, server: ModelServer, question: str, answer: str, turn: str, quote: str
) -> None:
    given = AnsweredTurn(question, answer, turn)
    assert is_unclear(given, *classify_turns([given]))
    says(server, verdicts((1, "correct", quote)))
    receipt = answer_by_turn(acme, turn, question=question, answer=answer)
    assert "corrected" in signals(acme, receipt)
    assert all(text in asked_of(server) for text in (question, answer, turn))
    assert len(server.requests) == 1
    with tenant_tx(acme.tenant.id):
        assert ModelUsage.objects.get().purpose == "judge"


@pytest.mark.parametrize(
    "answer",
    [
        verdicts((1, "correct", "that is wrong")),
        verdicts((1, "correct", "")),
        verdicts((1, "correct", "...")),
        verdicts((2, "correct", "waters tomatoes"), (0, "correct", "waters tomatoes")),
        verdicts((1, "rejoice", "waters tomatoes")),
        verdicts(),
        verdicts((1, "topic_change", "")),
    ],
)
def test_what_a_model_does_not_show_stays_what_rules_say(
    acme: House, server: ModelServer, answer: dict[str, Any]
) -> None:
    says(server, answer)
    receipt = answer_by_turn(acme, UNCLEAR)
    assert (known_parts(acme, receipt), signals(acme, receipt) - {""}) == ((True, True), {"neutral"})


@pytest.mark.parametrize("name", ["broken", "truncated", "not HTTP's JSON"])
def test_on_a_models_bad_day_rules_stand_and_the_turn_is_learned_from(
    acme: House, server: ModelServer, name: str
) -> None:
    server.answer = lambda _: BAD_ANSWERS[name]
    receipt = answer_by_turn(acme, UNCLEAR)
    assert (known_parts(acme, receipt), signals(acme, receipt) - {""}) == ((True, True), {"neutral"})


@pytest.mark.parametrize("turn", ["Perfect, thanks!", "That is wrong, you mixed it up.", "👍", "…"])
def test_what_rules_understand_is_asked_of_nobody(acme: House, server: ModelServer, turn: str) -> None:
    answer_by_turn(acme, turn)
    assert server.requests == []


def test_a_request_asks_no_model(acme: House, server: ModelServer) -> None:
    receipt = ask(acme, LUNCH)
    tell(acme, receipt, reply=ANSWER, next=UNCLEAR)
    assert server.requests == []


def test_several_turns_are_one_question_and_each_has_its_own_verdict(acme: House, server: ModelServer) -> None:
    receipts = []
    for name in ("one", "two"):
        say(acme, LUNCH, conversation=name)
        receipts.append(ask(acme, LUNCH, conversation=name))
        say(acme, ANSWER, conversation=name, role="assistant")
    work(acme)
    for name in ("one", "two"):
        say(acme, UNCLEAR, conversation=name)
    says(server, verdicts((1, "correct", "waters tomatoes"), (2, "confirm", "waters tomatoes"), (2, "correct", "dawn")))
    work(acme)
    assert [signals(acme, receipt) - {""} for receipt in receipts] == [{"corrected"}, {"positive"}]
    assert len(server.requests) == 1


def test_a_budget_that_is_spent_leaves_the_rules_and_another_tenant_its_own(world: World, server: ModelServer) -> None:
    says(server, verdicts((1, "correct", "waters tomatoes")))
    with tenant_tx(world.acme.tenant.id):
        ModelRoute.objects.create(purpose="judge", endpoint="some", daily_tokens=0)
    for house in (world.acme, world.globex):
        remember(house, "is allergic to peanuts")
    assert signals(world.acme, answer_by_turn(world.acme, UNCLEAR)) - {""} == {"neutral"}
    assert server.requests == []
    assert signals(world.globex, answer_by_turn(world.globex, UNCLEAR)) - {""} == {"corrected"}
