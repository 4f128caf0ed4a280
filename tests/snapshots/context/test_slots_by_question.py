"""In a small total slots come by what the question is about, and each left out says why. Rows: X11, X12, G1, R6."""

from typing import Any

import pytest

from profiles.models import Preference
from snapshots.context.service import build_context
from snapshots.context.stages import ContextAnswer, ContextQuery
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.receipts.packing import candidates_held
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import label, prefer

SLOTS = {
    "en": ("roses and tomatoes", "jazz", "size 41", "Skoda Octavia"),
    "zh": ("月季和番茄", "爵士", "41码", "比亚迪"),
}
SMALL = BudgetRequest(total=500)


@pytest.fixture(autouse=True)
def _with_the_sentence_encoder(settings: Any) -> None:
    settings.EMBEDDER = "wordllama,use"


def hold_slots(house: House, language: str) -> dict[str, str]:
    """Hold four slots; return their ids by key."""
    garden, music, shoes, car = SLOTS[language]
    for category, key, value in (
        ("hobby", "garden", garden),
        ("music", "likes", [music]),
        ("shopping", "shoe_size", shoes),
        ("vehicle", "car", car),
    ):
        prefer(house, category, key, value)
    with tenant_tx(house.tenant.id):
        return {one.key: str(one.id) for one in Preference.objects.all()}


def ask(house: House, query: str, budget: BudgetRequest = SMALL) -> ContextAnswer:
    asked = ContextQuery(ContextRequest(query, budget=budget), "3")
    return build_context(house.tenant.id, house.subject.external_id, asked)


def became(answer: ContextAnswer) -> dict[str, tuple[str, float | None]]:
    """Return what became of each candidate, and its relevance."""
    return {one["memory_id"]: (one["decision_reason"], one["relevance"]) for one in candidates_held(answer.receipt)}


@pytest.mark.parametrize(
    ("language", "query", "meant"),
    [
        ("en", "What should I plant this spring?", "garden"),
        ("en", "Recommend me an album for the evening", "likes"),
        ("en", "Order new running shoes for me", "shoe_size"),
        ("zh", "花园里要买什么肥料？", "garden"),
        ("zh", "推荐一张专辑", "likes"),
        ("zh", "帮我买双跑鞋", "shoe_size"),
    ],
)
def test_a_question_that_shares_no_word_with_a_slot_finds_it(
    world: World, language: str, query: str, meant: str
) -> None:
    ids = hold_slots(world.acme, language)
    found = became(ask(world.acme, query))
    relevance = {topic: found[slot][1] or 0.0 for topic, slot in ids.items()}
    assert found[ids[meant]][0] == "kept"
    assert max(relevance, key=lambda topic: relevance[topic]) == meant


@pytest.mark.parametrize(("language", "query"), [("en", "How far away is the moon?"), ("zh", "月亮离地球有多远？")])
def test_a_slot_that_is_left_out_stands_in_the_receipt_with_its_reason(world: World, language: str, query: str) -> None:
    ids = hold_slots(world.acme, language)
    answer = ask(world.acme, query)
    assert {slot: became(answer)[slot][0] for slot in ids.values()} == dict.fromkeys(ids.values(), "below_floor")
    assert answer.context.abstained == "nothing_relevant"


def test_a_tag_that_the_question_names_comes_whatever_its_words_say(world: World) -> None:
    ids = hold_slots(world.acme, "en")
    label(world.acme, "家", address="世纪大道100号")
    found = became(ask(world.acme, "导航回家"))
    (home,) = found.keys() - set(ids.values())
    assert found[home][0] == "kept"
    assert (found[home][1] or 0) > max(found[slot][1] or 0 for slot in ids.values())


def test_where_the_prefix_holds_the_slots_each_is_one_candidate(world: World) -> None:
    ids = hold_slots(world.acme, "en")
    answer = ask(world.acme, "What should I plant this spring?", BudgetRequest())
    held = [one["memory_id"] for one in candidates_held(answer.receipt)]
    assert sorted(held) == sorted(ids.values())
    assert {one for one, _ in became(answer).values()} == {"kept"}
