"""A turn that says a memory again agrees with it, and objects to the reply alone. Rows: G2, G3, E4."""

from uuid import UUID

import pytest

from memory_platform.kernel.ids import new_id
from profiles.models import Preference, ProfileFact
from snapshots.feedback.reading.attribution import (
    attribute_signals,
    find_agreeing_memories,
    find_memories_of_other_addresses,
    read_stated_places,
)
from snapshots.feedback.tallies.memory_tallies import roll_up_tallies
from snapshots.feedback.values import InjectedText, TurnSense
from snapshots.jobs import HANDLERS
from snapshots.lifecycle.confidence_calibration import calibrate_tenant
from snapshots.models import WorkKind
from snapshots.queue.draining.drain import drain_work
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask, rows, tally, tell
from tests.snapshots.held import know, prefer, remember, say


@pytest.mark.parametrize(
    ("said", "lane", "text"),
    [
        ("No, I told you, I am allergic to peanuts", "preferences", "allergies: peanuts"),
        ("I told you I'm allergic to peanuts!", "preferences", "allergies: shellfish, peanuts"),
        ("I told you I'm allergic to peanuts!", "snapshots", "Ada is allergic to peanuts"),
        ("I told you I'm allergic to peanuts!", "snapshots", "Lunch was fine. I'm allergic to peanuts."),
        ("No! I don't eat meat, as I said.", "snapshots", "I don't eat meat."),
        ("I said I'm vegetarian!", "snapshots", "I'm vegetarian."),
        ("No, I told you I live in Bristol", "profile", "Bristol"),
        ("I said I like aisle seats", "preferences", "likes: aisle seats"),
        ("我说过我对花生过敏", "preferences", "allergies: 花生"),
        ("不对,我说过我对花生过敏", "snapshots", "我对花生过敏。"),
        ("我都说了我吃素", "preferences", "diet: 吃素"),
        ("我说过我住在上海", "profile", "上海"),
    ],
)
def test_what_is_said_again(said: str, lane: str, text: str) -> None:
    memory = InjectedText(new_id(), lane, text)
    assert find_agreeing_memories(said, [memory]) == {memory.memory_id}


@pytest.mark.parametrize(
    ("said", "lane", "text"),
    [
        ("No, I am not allergic to peanuts", "preferences", "allergies: peanuts"),
        ("I'm no longer allergic to peanuts", "snapshots", "Ada is allergic to peanuts"),
        ("Who told you I am allergic to peanuts?", "preferences", "allergies: peanuts"),
        ("You said I am allergic to peanuts, that is wrong", "preferences", "allergies: peanuts"),
        ("No, my sister is allergic to peanuts, not me", "preferences", "allergies: peanuts"),
        ("I told you I'm allergic to peanuts!", "preferences", "likes: peanuts"),
        ("I told you I'm allergic to peanuts!", "snapshots", "Ada is not allergic to peanuts"),
        ("No, I hate aisle seats", "preferences", "likes: aisle seats"),
        ("No, I hate aisle seats", "snapshots", "Ada likes aisle seats"),
        ("I used to like aisle seats", "preferences", "likes: aisle seats"),
        ("I said I'm vegetarian!", "snapshots", "Ada booked the vegetarian place"),
        ("No, I told you I live in Bristol", "profile", "London"),
        ("No, I told you I live in Bristol", "tags", "Bristol: home"),
        ("我对花生不过敏", "preferences", "allergies: 花生"),
        ("我不对花生过敏", "snapshots", "我对花生过敏。"),
        ("我讨厌靠窗的座位", "preferences", "likes: 靠窗的座位"),
        ("That is wrong.", "preferences", "allergies: peanuts"),
    ],
)
def test_what_is_not(said: str, lane: str, text: str) -> None:
    assert find_agreeing_memories(said, [InjectedText(new_id(), lane, text)]) == set()


@pytest.mark.parametrize(
    ("said", "wrong", "right"),
    [
        (
            "No, my office is at 88 Mill Avenue, Portland now.",
            [("tags", "office: 400 Harbor Street, Portland"), ("snapshots", "my office is at 400 Harbor Street")],
            [
                ("profile", "Portland"),
                ("tags", "home: 12 Willow Lane, Portland"),
                ("snapshots", "I live in Portland"),
                ("snapshots", "avoid highways on the way to my office"),
            ],
        ),
        (
            "不对，我的公司在上海长宁路88号",
            [("tags", "公司: 上海淮海路12号"), ("snapshots", "我的公司在上海淮海路12号")],
            [("profile", "上海"), ("tags", "家: 上海世纪大道100号"), ("snapshots", "我住在上海")],
        ),
    ],
)
@pytest.mark.parametrize("is_reply_known", [True, False])
def test_another_address_blames_the_memories_of_this_place_and_not_its_city(
    said: str, wrong: list[tuple[str, str]], right: list[tuple[str, str]], *, is_reply_known: bool
) -> None:
    memories = [InjectedText(new_id(), *one) for one in (*right, *wrong)]
    used = [one.memory_id for one in memories] if is_reply_known else None
    heard = attribute_signals(TurnSense.CORRECT, said, memories, used)
    assert {one.text for one in memories if one.memory_id in heard} == {text for _, text in wrong}
    assert {(one.signal, one.reason) for one in heard.values()} == {("corrected", "correct_named")}


@pytest.mark.parametrize(
    ("said", "city", "other"),
    [
        ("No, my office is at 88 Mill Avenue, Portland now.", "Portland", "I like the quiet road"),
        ("不对，我的公司在上海长宁路88号", "上海", "我喜欢走安静的路"),
    ],
)
def test_the_city_of_a_new_address_is_not_blamed_when_no_memory_has_the_old_one(
    said: str, city: str, other: str
) -> None:
    memories = [InjectedText(new_id(), "profile", city), InjectedText(new_id(), "snapshots", other)]
    heard = attribute_signals(TurnSense.CORRECT, said, memories, [one.memory_id for one in memories])
    assert heard.keys() == {memories[1].memory_id}


def test_an_address_that_a_memory_holds_already_does_not_blame_it() -> None:
    memory = InjectedText(new_id(), "tags", "office: 88 Mill Avenue, Portland")
    said = "No, my office is at 88 Mill Avenue."
    assert find_memories_of_other_addresses(read_stated_places(said), [memory]) == set()


def work(house: House) -> None:
    drain_work(house.tenant.id, {WorkKind.EXTRACT: HANDLERS[WorkKind.EXTRACT]})


def allergy(house: House, value: str) -> UUID:
    prefer(house, "food", "allergies", [value], confidence=0.9)
    with tenant_tx(house.tenant.id):
        return Preference.objects.get().id


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "question", "reply", "said"),
    [
        (
            "peanuts",
            "What could I cook tonight?",
            "Satay with peanut sauce.",
            "No, I told you, I am allergic to peanuts",
        ),
        (
            "peanuts",
            "What could I cook tonight?",
            "Satay, as you are allergic to peanuts.",
            "I told you I'm allergic to peanuts!",
        ),
        ("花生", "今晚做什么菜?", "宫保鸡丁,多放花生。", "我说过我对花生过敏"),
    ],
)
def test_an_allergy_that_has_to_be_said_again_stays_as_sure_as_it_was(
    world: World, value: str, question: str, reply: str, said: str
) -> None:
    house = world.acme
    memory = allergy(house, value)
    for number in range(5):
        conversation = f"dinner {number}"
        say(house, question, conversation=conversation)
        receipt = ask(house, question, conversation=conversation)
        say(house, reply, role="assistant", conversation=conversation)
        say(house, said, conversation=conversation)
        work(house)
        heard = {(row.signal, row.signal_reason) for row in rows(house, receipt) if row.signal}
        assert heard == {("positive", "confirm_said_again")}, "of the value, or of the vital note that stands for it"
    roll_up_tallies(house.tenant.id)
    counts = tally(house, memory, lane="preferences")
    assert counts is not None
    assert {name: counts.get(name) for name in ("positive", "negative", "corrected")} == {
        "positive": counts.get("judged"),
        "negative": None,
        "corrected": None,
    }
    calibrate_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        assert Preference.objects.get(id=memory).confidence == pytest.approx(0.9)


def test_what_the_turn_does_not_speak_of_is_not_judged_and_parts_come_in_any_order(world: World) -> None:
    house = world.acme
    memory = allergy(house, "peanuts")
    remember(house, "Ada likes satay of all dishes")
    reply, turn = {"reply": "Satay, of all dishes, with peanuts."}, {"next": "I told you I'm allergic to peanuts!"}
    for parts in ([reply, turn], [turn, reply], [{**reply, **turn}], [turn, reply, turn]):
        receipt = ask(house, "Which dish with satay?")
        for part in parts:
            outcome = tell(house, receipt, **part)
        assert [(one.memory_id, one.signal, one.reason) for one in outcome.signals] == [(memory, "positive", "confirm")]


def test_a_turn_that_puts_something_right_beside_it_still_corrects(world: World) -> None:
    house = world.acme
    know(house, city="London")
    memory = allergy(house, "peanuts")
    with tenant_tx(house.tenant.id):
        city = ProfileFact.objects.get().id
    receipt = ask(house, "Where do I find dinner?")
    said = "I told you I'm allergic to peanuts! And I live in Bristol, not London."
    heard = {one.memory_id: one.signal for one in tell(house, receipt, next=said).signals}
    assert heard == {memory: "positive", city: "corrected"}
