"""In a small total slots come by what the question is about, and each left out says why. Rows: X11, X12, G1, R6."""

from typing import Any

import pytest

from profiles.models import Preference
from snapshots.context.pipeline import ContextAnswer, ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.relevance.config import RELEVANCE
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


def ask(house: House, query: str, budget: BudgetRequest = SMALL, **more: Any) -> ContextAnswer:
    asked = ContextCall(ContextRequest(query, budget=budget, **more), "3")
    return build_context(house.tenant.id, house.subject.external_id, asked)


def became(answer: ContextAnswer) -> dict[str, tuple[str, float | None]]:
    """Return what became of each candidate, and its relevance."""
    return {one["memory_id"]: (one["decision_reason"], one["relevance"]) for one in unpack_candidates(answer.receipt)}


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
    held = [one["memory_id"] for one in unpack_candidates(answer.receipt)]
    assert sorted(held) == sorted(ids.values())
    assert {one for one, _ in became(answer).values()} == {"kept"}


@pytest.mark.parametrize(
    ("language", "query", "named"),
    [
        ("en", "What should I plant this spring?", None),
        ("en", "Which shoe size do I take?", "shoe_size"),
        ("en", "Do you know my favourite music?", "likes"),
        ("zh", "花园里要买什么肥料？", None),
        ("zh", "你记得我的鞋码吗？", "shoe_size"),
        ("zh", "我喜欢什么音乐？", "likes"),
    ],
)
def test_a_strict_question_takes_a_slot_that_it_names_and_no_other(
    world: World, language: str, query: str, named: str | None
) -> None:
    ids = hold_slots(world.acme, language)
    loose, strict = (ask(world.acme, query, strict=is_strict) for is_strict in (False, True))
    near = {slot for slot, (reason, _) in became(loose).items() if reason == "kept"}
    taken = {slot for slot, (reason, _) in became(strict).items() if reason == "kept"}
    assert near
    assert taken == ({ids[named]} if named else set())
    refused = [one for one in unpack_candidates(strict.receipt) if one["memory_id"] not in taken]
    assert {(one["decision_reason"], one["threshold"]) for one in refused} == {
        ("below_floor", RELEVANCE.strict_relevance)
    }


@pytest.mark.parametrize("query", ["导航回家", "What is the weather like?"])
def test_a_strict_question_takes_a_tag_that_it_names(world: World, query: str) -> None:
    label(world.acme, "家", address="世纪大道100号")
    (found,) = became(ask(world.acme, query, strict=True)).values()
    assert (found[0] == "kept") == (query == "导航回家")
