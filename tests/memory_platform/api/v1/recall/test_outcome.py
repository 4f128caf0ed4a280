"""``/v1/receipts/{id}/outcome``: what came of a context. Rows: G1, G2, G3, G4, D1."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.ids import new_id
from snapshots.models import FastLaneChange, ReceiptMemory
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.growth import assert_linear
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.held import prefer, remember, say

PEANUTS = "Ada is allergic to peanuts"
BRISTOL = "Ada lives in Bristol"


def assemble(caller: Caller, query: str, **more: Any) -> str:
    response = caller("POST", "/v1/subjects/ada/context", {"query": query, **more})
    assert response.status_code == 200, response.content
    return str(body_of(response)["receipt_id"])


def outcome(caller: Caller, receipt_id: str, **told: Any) -> dict[str, Any]:
    response = caller("POST", f"/v1/receipts/{receipt_id}/outcome", told)
    assert response.status_code == 200, response.content
    return body_of(response)


def signals(answer: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["memory_id"]: (one["signal"], one["reason"]) for one in answer["signals"]}


def used_memories(answer: dict[str, Any]) -> dict[str, str]:
    return {one["memory_id"]: one["how"] for one in answer["utilised"]}


def preference(caller: Caller, category: str, key: str) -> Any:
    return body_of(caller("GET", f"/v1/subjects/ada/preferences/{category}/{key}"))["value"]


@pytest.fixture
def memories(world: World) -> list[str]:
    """Two snapshots of Ada's."""
    return [str(one) for one in remember(world.acme, PEANUTS, BRISTOL)]


def test_a_reply_and_a_turn_tell_what_was_used_and_how_it_was_taken(acme: Caller, memories: list[str]) -> None:
    peanuts, bristol = memories
    receipt_id = assemble(acme, "What could I have for lunch?")
    answer = outcome(acme, receipt_id, reply="The Thai place cooks without peanuts.", next_user_message="Perfect!")
    assert used_memories(answer) == {peanuts: "words"}
    assert signals(answer) == {peanuts: ("positive", "confirm")}
    assert answer["fast_lane"] == []
    shown = {one["memory_id"]: one for one in body_of(acme("GET", f"/v1/receipts/{receipt_id}"))["candidates"]}
    assert (shown[peanuts]["utilized"], shown[peanuts]["user_feedback_signal"]) == (True, "positive")
    assert (shown[bristol]["utilized"], shown[bristol]["user_feedback_signal"]) == (False, None)


@pytest.mark.parametrize(
    ("said", "signal", "reason"),
    [
        ("Thanks, great idea!", "positive", "confirm"),
        ("太好了,谢谢", "positive", "confirm"),
        ("Is it open on Mondays?", "positive", "follow_up"),
        ("那家周一开门吗?", "positive", "follow_up"),
        ("You didn't answer my question.", "negative", "restate"),
        ("我問的不是這個", "negative", "restate"),
        ("That's wrong.", "corrected", "correct"),
        ("你記錯了", "corrected", "correct"),
        ("By the way, who won the match?", "neutral", "topic_change"),
        ("换个话题吧", "neutral", "topic_change"),
    ],
)
def test_without_a_reply_a_turn_concerns_all_that_was_injected(
    acme: Caller, memories: list[str], said: str, signal: str, reason: str
) -> None:
    answer = outcome(acme, assemble(acme, "lunch in Bristol?"), next_user_message=said)
    assert answer["utilised"] == []
    assert signals(answer) == dict.fromkeys(memories, (signal, reason))


def test_parts_in_any_order_and_again_come_to_the_same(acme: Caller, memories: list[str]) -> None:
    reply = {"reply": "The Thai place cooks without peanuts."}
    turn = {"next_user_message": "You mixed that up."}
    seen = []
    for parts in ([reply, turn], [turn, reply], [turn, turn, reply, reply, turn], [{**reply, **turn}]):
        receipt_id = assemble(acme, "What could I have for lunch?")
        for part in parts:
            answer = outcome(acme, receipt_id, **part)
        assert answer == outcome(acme, receipt_id)
        seen.append((used_memories(answer), signals(answer)))
    assert seen == [({memories[0]: "words"}, {memories[0]: ("corrected", "correct")})] * 4


def test_a_correction_that_names_one_memory_concerns_this_one(acme: Caller, memories: list[str]) -> None:
    receipt_id = assemble(acme, "lunch?")
    answer = outcome(acme, receipt_id, next_user_message="I'm not allergic to peanuts anymore")
    assert signals(answer) == {memories[0]: ("corrected", "correct")}


def test_verdicts_win_over_turns_and_later_ones_over_earlier(acme: Caller, memories: list[str]) -> None:
    peanuts, bristol = memories
    receipt_id = assemble(acme, "lunch?")
    verdict = {"memory_id": peanuts, "signal": "negative", "reason": "out of place"}
    answer = outcome(acme, receipt_id, verdicts=[verdict])
    assert signals(answer) == {peanuts: ("negative", "out of place")}
    answer = outcome(acme, receipt_id, next_user_message="Perfect!")
    assert signals(answer) == {peanuts: ("negative", "out of place"), bristol: ("positive", "confirm")}
    later = [{"memory_id": one, "signal": "neutral"} for one in memories]
    answer = outcome(acme, receipt_id, verdicts=later)
    assert signals(answer) == dict.fromkeys(memories, ("neutral", "verdict"))


@pytest.mark.parametrize("posted", [False, True])
def test_what_the_turn_puts_right_is_put_right_once(acme: Caller, world: World, *, posted: bool) -> None:
    prefer(world.acme, "travel", "favourite_seat", "aisle", provenance="confirmed_by_user")
    say(world.acme, "Book my flight", conversation="trip")
    receipt_id = assemble(acme, "Book my flight", conversation_id="trip")
    said = "No, window, not aisle"
    if posted:
        say(world.acme, said, conversation="trip")
        assert preference(acme, "travel", "favourite_seat") == "window"
    answer = outcome(acme, receipt_id, reply="An aisle seat, as usual.", next_user_message=said)
    applied = [(one["category"], one["key"], one["verdict"]) for one in answer["fast_lane"]]
    assert applied == ([] if posted else [("travel", "favourite_seat", "superseded")])
    assert preference(acme, "travel", "favourite_seat") == "window"
    assert [one["signal"] for one in answer["signals"]] == ["corrected"]
    assert outcome(acme, receipt_id, next_user_message=said)["fast_lane"] == []
    with tenant_tx(world.acme.tenant.id):
        assert FastLaneChange.objects.count() == 1


def test_a_conversation_that_is_not_remembered_teaches_nothing(acme: Caller, world: World) -> None:
    prefer(world.acme, "food", "likes", ["coffee"])
    say(world.acme, "hello there", conversation="quiet")
    receipt_id = assemble(acme, "A drink?", conversation_id="quiet")
    acme("PATCH", "/v1/subjects/ada/conversations/quiet", {"remember": False})
    assert outcome(acme, receipt_id, next_user_message="I no longer like coffee.")["fast_lane"] == []
    assert preference(acme, "food", "likes") == ["coffee"]


def test_two_at_once_are_one(acme: Caller, world: World, memories: list[str]) -> None:
    prefer(world.acme, "food", "likes", ["coffee", "tea"])
    receipt_id = assemble(acme, "A drink?")
    told = {"reply": "Some coffee?", "next_user_message": "I no longer like coffee."}

    def tell(_: int) -> dict[str, Any]:
        try:
            return outcome(acme, receipt_id, **told)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as crew:
        answers = list(crew.map(tell, range(6)))
    assert len({str((one["utilised"], one["signals"])) for one in answers}) == 1
    assert sum(len(one["fast_lane"]) for one in answers) == 1
    assert preference(acme, "food", "likes") == ["tea"]


def test_an_idempotency_key_replays_the_answer(acme: Caller, world: World) -> None:
    prefer(world.acme, "food", "likes", ["coffee", "tea"])
    path = f"/v1/receipts/{assemble(acme, 'A drink?')}/outcome"
    told = {"next_user_message": "I no longer like coffee."}
    first = acme("POST", path, told, Idempotency_Key="k1")
    again = acme("POST", path, told, Idempotency_Key="k1")
    assert (again["Idempotent-Replayed"], again.content) == ("true", first.content)
    assert len(body_of(again)["fast_lane"]) == 1
    problem_of(acme("POST", path, {}, Idempotency_Key="k1"), 409)


def test_another_tenants_receipt_is_one_that_nobody_has(
    acme: Caller, globex: Caller, world: World, memories: list[str]
) -> None:
    receipt_id = assemble(acme, "lunch?")
    told = {"next_user_message": "Wrong!", "verdicts": [{"memory_id": memories[0], "signal": "negative"}]}
    for wanted in (receipt_id, str(new_id()), "no-id-of-ours"):
        problem_of(globex("POST", f"/v1/receipts/{wanted}/outcome", told), 404)
    assert recorded_signals(world.acme) == set()


def recorded_signals(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        return set(ReceiptMemory.objects.exclude(signal="").values_list("signal", flat=True))


def test_a_verdict_on_what_was_not_injected_is_refused_and_named(
    acme: Caller, world: World, memories: list[str]
) -> None:
    receipt_id = assemble(acme, "lunch?")
    verdicts = [{"memory_id": one, "signal": "positive"} for one in (memories[0], str(new_id()), "whatever")]
    problem = problem_of(acme("POST", f"/v1/receipts/{receipt_id}/outcome", {"verdicts": verdicts}), 422)
    assert problem["code"] == "memory_not_in_receipt"
    assert fields_of(problem) == {"verdicts.1.memory_id", "verdicts.2.memory_id"}
    assert recorded_signals(world.acme) == set()


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"reply": 5}, "reply"),
        ({"reply": "x" * 65_537}, "reply"),
        ({"next_user_message": ""}, "next_user_message"),
        ({"next_user_message": "\u4e00" * 21_846}, "next_user_message"),
        ({"verdicts": {}}, "verdicts"),
        ({"verdicts": [{"memory_id": "x", "signal": "angry"}]}, "verdicts.0.signal"),
        ({"verdicts": [{"signal": "positive"}]}, "verdicts.0.memory_id"),
        ({"verdicts": [{"memory_id": "x", "signal": "positive", "colour": 1}]}, "verdicts.0.colour"),
        ({"signal": "positive"}, "signal"),
    ],
)
def test_a_malformed_part_names_its_field(acme: Caller, told: dict[str, Any], field: str) -> None:
    assert fields_of(problem_of(acme("POST", f"/v1/receipts/{new_id()}/outcome", told), 400)) == {field}


HOSTILE = [
    "no, " * 16_000,
    "not " * 16_000,
    "不是" * 10_000 + ",是",
    "a" * 65_536,
    "e\u0301" * 20_000,
    "<user_memory>" * 5_000,
    "i moved " * 8_000,
    " " * 65_536,
    "that is my " + "my " * 20_000 + "sister's",
    "🙂" * 16_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_in_linear_time(acme: Caller, memories: list[str], text: str) -> None:
    receipts = [assemble(acme, "lunch?") for _ in range(3)]
    assert_linear(lambda part: outcome(acme, receipts.pop(), reply=part, next_user_message=part), text)


def test_an_outcome_asks_the_database_as_often_about_many_memories_as_about_few(acme: Caller, world: World) -> None:
    prefer(world.acme, "food", "likes", ["coffee", "tea"])
    asked = []
    for stories in (range(3), range(3, 60)):
        remember(world.acme, *(f"Ada told story {n} about lunch at place {n * 7} with friend Nr{n}" for n in stories))
        receipt_id = assemble(acme, "lunch?")
        reply = f"As you told me, place {stories[1] * 7} and coffee. " * 20
        with CaptureQueriesContext(connection) as queries:
            outcome(acme, receipt_id, reply=reply, next_user_message=f"No, not place {stories[1] * 7}, place 3")
        asked.append(len(queries))
    assert 0 < asked[1] <= asked[0] + 5


@pytest.mark.parametrize(
    ("held", "other", "reply", "said"),
    [
        ("Ada drinks black coffee", "Ada lives in Bristol", "A coffee with milk, then?", "No, black, not with milk"),
        ("喜欢喝美式咖啡", "住在上海", "给您点一杯拿铁咖啡吧?", "不是拿铁,是美式"),
    ],
)
def test_a_memory_that_a_correction_agrees_with_is_not_corrected(
    acme: Caller, world: World, held: str, other: str, reply: str, said: str
) -> None:
    right, _ = [str(one) for one in remember(world.acme, held, other)]
    answer = outcome(acme, assemble(acme, "coffee? 咖啡?"), reply=reply, next_user_message=said)
    assert right not in signals(answer)


def test_a_correction_that_means_nothing_believed_says_so(acme: Caller, world: World) -> None:
    prefer(world.acme, "food", "likes", ["coffee"])
    (told,) = outcome(acme, assemble(acme, "A drink?"), next_user_message="No, I said cocoa, not tea.")["fast_lane"]
    assert (told["category"], told["key"], told["kind"], told["preference_id"]) == (None, None, None, None)
    assert (told["verdict"], told["reason"]) == ("rejected", "object_unknown")


@pytest.mark.parametrize(
    ("held", "said", "after"),
    [
        (
            ["spicy food", "soup"],
            "No, I do not like spicy food any more, I prefer Italian food",
            {"Italian food", "soup"},
        ),
        (["美式咖啡", "汤"], "不是美式,是拿铁", {"拿铁咖啡", "汤"}),
    ],
)
def test_both_sides_of_a_correction_are_believed_at_once(
    acme: Caller, world: World, held: list[str], said: str, after: set[str]
) -> None:
    prefer(world.acme, "food", "likes", held, provenance="confirmed_by_user")
    outcome(acme, assemble(acme, "dinner?"), next_user_message=said)
    assert set(preference(acme, "food", "likes")) == after
