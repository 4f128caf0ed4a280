"""The parts of a relevance in a receipt multiply out to it, whatever a context did with it. Rows: G1, R7, X11."""

from collections.abc import Mapping
from datetime import timedelta
from math import exp, log
from typing import Any

import pytest

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.receipts.read import list_explained_candidates
from snapshots.relevance.config import RELEVANCE
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import label, prefer
from tests.snapshots.understanding.making import MONDAY, say, settle

LATER = MONDAY + timedelta(days=3)
RETOLD = {
    "en": (
        [
            "I usually run in Hollow Park before work, then I buy bread at Ahmed's",
            "I grow roses and tomatoes, and could you play some jazz now?",
        ],
        "Hollow Park is shut, I run along the canal now",
        [
            "Where do I run?",
            "What should I plant beside my roses and tomatoes?",
            "Call my wife",
            "Who sells bread?",
        ],
        "wife",
    ),
    "zh": (
        ["早上打太极,六点半,在浣花溪", "我种了月季和番茄,现在放点爵士乐好吗?"],
        "太极挪地方了,浣花溪在修路,现在去百花潭",
        ["早上到哪里打太极", "月季和番茄旁边种什么好?", "给老婆打电话", "浣花溪好玩吗"],
        "老婆",
    ),
}
SLOTS = {
    "en": ("My brother Tom in Antwerp has been size 41 all his life", "size 41", "Order new running shoes for me"),
    "zh": ("我弟弟在成都,一直都是41码", "41码", "帮我买双跑鞋"),
}


@pytest.fixture(autouse=True)
def _with_the_sentence_encoder(settings: Any) -> None:
    settings.EMBEDDER = "wordllama,use"


def ask(house: House, query: str, total: int) -> list[dict[str, Any]]:
    request = ContextRequest(query, budget=BudgetRequest(total=total), at=LATER)
    made = build_context(house.tenant.id, house.subject.external_id, ContextCall(request, "3"))
    return unpack_candidates(made.receipt)


def multiply_out(parts: Mapping[str, float]) -> float:
    """Return the relevance that docs/memory/relevance.md makes of its parts."""
    as_note = parts.get("as_note", 0.0)
    raised = parts.get("in_time", 0.0) + RELEVANCE.asked_reply * parts.get("asks_reply", 0.0)
    helps = as_note * exp(raised) / (1 - as_note + as_note * exp(raised))
    if "as_statement" in parts:
        odds = [log(max(one, 1e-9) / max(1 - one, 1e-9)) for one in (as_note, parts["as_statement"])]
        helps = 1 / (1 + exp(-sum(odds) / 2))
    for name in ("as_message", "as_tag", "as_older", "as_slot"):
        helps = parts.get(name, helps)
    return parts["need"] * helps * parts.get("share", 1.0)


def parts_that_multiply_out(house: House, queries: list[str]) -> set[str]:
    """Return the names of all parts of the candidates of contexts in a small and a large total."""
    found = [one for query in queries for total in (500, 6_000) for one in ask(house, query, total)]
    judged = [one for one in found if one["relevance"] is not None]
    assert judged
    for one in judged:
        assert multiply_out(one["explain"]["relevance"]) == pytest.approx(one["relevance"], abs=0.002), one
    return {name for one in judged for name in one["explain"]["relevance"]}


@pytest.mark.parametrize("language", RETOLD)
def test_parts_of_what_is_shortened_told_anew_or_named_multiply_out(world: World, language: str) -> None:
    house, (early, late, queries, contact) = world.acme, RETOLD[language]
    say(house, *early)
    say(house, late, at=LATER, conversation="c2")
    settle(house)
    label(house, contact, kind="contact", phone="0133")
    assert parts_that_multiply_out(house, queries) >= {"as_statement", "as_tag", "as_older", "share"}


@pytest.mark.parametrize("language", SLOTS)
def test_parts_of_a_note_that_its_slot_raises_multiply_out(world: World, language: str) -> None:
    said, value, query = SLOTS[language]
    say(world.acme, said)
    settle(world.acme)
    prefer(world.acme, "shopping", "shoe_size", value)
    assert parts_that_multiply_out(world.acme, [query]) >= {"as_note", "as_slot"}


@pytest.mark.parametrize(
    ("value", "query", "word"),
    [("roses and tomatoes", "Where are my tomatoes?", "tomatoes"), ("月季和番茄", "我的番茄在哪里", "番茄")],
)
def test_a_slot_tells_which_words_of_the_question_it_shares(world: World, value: str, query: str, word: str) -> None:
    prefer(world.acme, "hobby", "garden", value)
    request = ContextRequest(query, budget=BudgetRequest(total=500, profile=0), min_relevance=0.0)
    made = build_context(world.acme.tenant.id, world.acme.subject.external_id, ContextCall(request, "3"))
    with tenant_tx(world.acme.tenant.id):
        (slot,) = list_explained_candidates(made.receipt)
    assert slot["decision_reason"] == "kept"
    assert word in slot["words"]
    assert slot["explain"]["keyword"]["rank"] == 1
