"""What makes a question need memory, or a call want it: a name that the memory holds, a size. Rows: R3, X2, X12."""

import pytest
from pytest_django.fixtures import Settings

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_forget_orders import ADA, teach


@pytest.fixture(autouse=True)
def encoder(settings: Settings) -> None:
    """What a question needs is read in the sentence encoder's space."""
    settings.EMBEDDER = "wordllama,use"


def context(caller: Caller, query: str, **fields: object) -> tuple[str, object]:
    body = body_of(caller("POST", f"{ADA}/context", {"query": query, **fields}))
    return " ".join(one["content"] for one in body["messages"][:-1]), body["abstained"]


def test_a_question_about_a_known_name_is_answered_and_about_an_unknown_one_is_not(acme: Caller, world: World) -> None:
    teach(acme, world, "Our dog Pluto sleeps in the kitchen.", "I work as a baker in Leeds.")
    found, abstained = context(acme, "How far away is Pluto?")
    assert "sleeps in the kitchen" in found
    assert abstained is None
    assert context(acme, "How far away is Mars?")[1] == {"reason": "nothing_relevant"}


def test_memory_that_the_call_sizes_is_filled_whatever_is_asked(acme: Caller, world: World) -> None:
    teach(acme, world, "Last weekend we hiked up Mount Tam, and Ruth carried the tent.", "I work as a baker in Leeds.")
    query = "How far away is the moon?"
    assert context(acme, query)[1] == {"reason": "nothing_relevant"}
    filled, abstained = context(acme, query, budget={"total": 2000, "memory": 500})
    assert "carried the tent" in filled
    assert abstained is None
    assert context(acme, query, budget={"total": 2000, "memory": 500}, min_relevance=0.5)[1] is not None
