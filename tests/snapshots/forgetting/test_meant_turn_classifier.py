"""Which earlier turns an order to forget means, by the taught model. Rows: A4."""

import numpy as np
import pytest

from snapshots.forgetting.meant_turn_classifier import (
    EarlierTurn,
    OrderMessage,
    build_turn_features,
    choose_meant_turns,
    list_texts_to_embed,
    points_to_last_turn,
)
from snapshots.forgetting.order_meaning import split_order_message
from snapshots.understanding.heard.forget_orders import find_forget_orders

NURSE, CAT = "I work as a nurse at Brightwater Clinic.", "My cat is called Miso."
NO_DIRECTION = np.zeros(2, np.float32)


def read_order(text: str) -> OrderMessage:
    return split_order_message(text, find_forget_orders(text)[0], acknowledged=False)


def choose(text: str, *turns: str) -> list[int]:
    return choose_meant_turns(read_order(text), [EarlierTurn(turn) for turn in turns])


@pytest.mark.parametrize(
    ("text", "turns", "places"),
    [
        ("Forget what I just said.", [NURSE, CAT], [1]),
        ("Forget about my cat.", [NURSE, CAT], [2]),
        ("My PIN is 4471. Forget that.", [CAT], [0]),
        ("忘掉我刚说的", ["我在蓝湾医院当护士。", "我家的猫叫米娅。"], [1]),
        ("把猫的事忘了吧", ["我在蓝湾医院当护士。", "我家的猫叫米娅。"], [2]),
    ],
)
def test_the_turn_that_is_meant_is_chosen_by_place_or_by_name(text: str, turns: list[str], places: list[int]) -> None:
    assert choose(text, *turns) == places


def test_a_proper_name_means_every_turn_that_says_it() -> None:
    turns = ["We fly to Quimper in May.", CAT, "My aunt lives in Quimper."]
    assert choose("Please forget about Quimper.", *turns) == [1, 3]


def test_what_many_turns_say_is_not_all_meant() -> None:
    turns = [f"My {whom} lives in Quimper." for whom in ("aunt", "uncle", "sister", "friend")]
    assert len(choose("Please forget about Quimper.", *turns)) <= 1


@pytest.mark.parametrize(
    ("words", "points"),
    [("what I just said", True), ("刚才的话", True), ("刚才那钱的事", False), ("my cat", False)],
)
def test_an_order_that_also_names_a_topic_does_not_only_point(words: str, *, points: bool) -> None:
    assert points_to_last_turn(words) is points


def test_the_named_thing_is_embedded_alone_and_in_its_message() -> None:
    named, whole, rest = list_texts_to_embed(read_order("It is late. Forget about my cat. Bye"))
    assert named == "cat"
    assert "Forget about my cat" in whole
    assert "cat" not in rest
    assert "late" in rest


def test_features_tell_where_a_turn_stands_and_what_it_shares() -> None:
    said = read_order("Forget about my cat.")
    own, last, other, _ = build_turn_features(
        said, [EarlierTurn(NURSE), EarlierTurn(CAT, elsewhere=True)], NO_DIRECTION
    )
    assert (own["at_own"], last["at_last"], other["at_other"]) == (1.0, 1.0, 1.0)
    assert (last["named"], other["named"], other["named_best"]) == (0.0, 1.0, 1.0)
    assert last["far"] < other["far"]
