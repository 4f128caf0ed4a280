"""A replay over stored receipts tells what the other policy really does. Rows: T4, G1, G2."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.models import Receipt, Snapshot
from snapshots.policies.effective_policies import build_policies
from snapshots.policies.policy_replay import PolicyReplay, replay_policy
from snapshots.receipts.read import list_injected_with_lanes
from tenants.errors import PolicyUnknown
from tenants.isolation import tenant_tx
from tenants.services.policies import version_by_number
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.policies.test_effective_policies import make

QUESTIONS = ("What tea does Ada like?", "green tea", "阿达喜欢喝什么茶?", "jasmine or oolong")


BOTH = ("observation", "confirmed_by_user")


def fill(house: House, provenances: tuple[str, str] = BOTH) -> None:
    """Remember teas of different ages and provenance, more than a context of 140 tokens holds.

    Teas of one provenance share an element of a context. A replay does not know what elements cost: where it changes
    which provenances are taken, it may tell of one tea too few.
    """
    ids = remember(house, *(f"Ada likes {tea} tea 喜欢喝茶" for tea in TEAS))
    with tenant_tx(house.tenant.id):
        for n, snapshot_id in enumerate(ids):
            Snapshot.objects.filter(id=snapshot_id).update(
                said_at=utc_now() - timedelta(days=(1, 20, 60, 200)[n % 4]),
                provenance=provenances[n % 2],
            )


TEAS = ("green", "black", "white", "jasmine", "oolong", "mint", "rose", "ginger", "barley", "龙井", "普洱", "铁观音")


NOTHING_BESIDE = ContextRequest("", intent="other", budget=BudgetRequest(window=0, profile=0, system=0, knowledge=0))


def ask(house: House, version: int, query: str, like: ContextRequest = NOTHING_BESIDE) -> Receipt:
    """Make a context under a version as an answer is made."""
    with tenant_tx(house.tenant.id):
        policies = build_policies(version, version_by_number(version).document)
    request = replace(like, query=query)
    asked = ContextCall(request, policies.version, recall=policies.recall)
    return build_context(house.tenant.id, house.subject.external_id, asked, policies.context).receipt


def kept_texts(house: House, receipt: Receipt) -> set[str]:
    with tenant_tx(house.tenant.id):
        found = list_injected_with_lanes(Receipt.objects.get(id=receipt.id))
    return {str(memory) for memory, lane in found if lane == "snapshots"}


def replay(house: House, before: int, after: int, **how: Any) -> PolicyReplay:
    with tenant_tx(house.tenant.id):
        return replay_policy(before, after, **{"receipts": 100, **how})


@pytest.mark.parametrize(
    "changes",
    [
        {"ranking": {"use_provenance": False}},
        {"ranking": {"recency_values": [0.2, 0.5, 1.0, 2.0]}},
        {"ranking": {"use_recency": False, "use_provenance": False}},
        {"context": {"memory": 400}},
    ],
)
def test_a_replay_tells_what_the_other_policy_really_does(world: World, changes: Any) -> None:
    fill(world.acme, ("observation", "observation") if "recency_values" in changes.get("ranking", ()) else BOTH)
    before = make(world.acme, {"context": {"memory": 140, "query": 0, "summary": 0, "task": 0}}, activate=True)
    after = make(world.acme, changes)
    old = [kept_texts(world.acme, ask(world.acme, before, query)) for query in QUESTIONS]
    told = replay(world.acme, before, after)
    new = [kept_texts(world.acme, ask(world.acme, after, query)) for query in QUESTIONS]

    assert (told.receipts, told.compared, told.reproduced.count, told.untold) == (4, 4, 4, ())
    really = {frozenset(is_now - was) for was, is_now in zip(old, new, strict=True) if was != is_now}
    assert {frozenset(one.entering) for one in told.examples} == really
    assert told.changed.count == sum(was != is_now for was, is_now in zip(old, new, strict=True)) > 0
    assert told.leaving == sum(len(was - is_now) for was, is_now in zip(old, new, strict=True))


BESIDE = [
    (ContextRequest(""), {"context": {"memory": 90}}),  # what the total bounds is no less
    (ContextRequest("", budget=BudgetRequest(window=100, knowledge=0)), {"context": {"memory": 100}}),
    (ContextRequest("", intent="complaint"), {"context": {"memory_by_intent": {"complaint": 200}}}),
    (ContextRequest("", budget=BudgetRequest(total=1000)), {"context": {"memory": 120}}),
]


@pytest.mark.parametrize(("request_", "changes"), BESIDE)
def test_a_replay_knows_what_other_sections_left_to_memory(
    world: World, request_: ContextRequest, changes: dict[str, Any]
) -> None:
    fill(world.acme)
    small = {"memory": 140, "window": 100, "summary": 40, "task": 0, "memory_by_intent": {"complaint": 140}}
    before = make(world.acme, {"context": small}, activate=True)
    after = make(world.acme, changes)
    old = [kept_texts(world.acme, ask(world.acme, before, query, request_)) for query in QUESTIONS]
    told = replay(world.acme, before, after)
    new = [kept_texts(world.acme, ask(world.acme, after, query, request_)) for query in QUESTIONS]
    assert (told.compared, told.reproduced.count, told.untold) == (4, 4, ())
    assert told.leaving == sum(len(was - is_now) for was, is_now in zip(old, new, strict=True))
    assert told.changed.count == sum(was != is_now for was, is_now in zip(old, new, strict=True))


def test_the_worth_of_what_leaves_is_told_where_a_reply_is_known(world: World) -> None:
    fill(world.acme)
    before = make(world.acme, {"context": {"memory": 140, "query": 0, "summary": 0, "task": 0}}, activate=True)
    after = make(world.acme, {"context": {"memory": 60}})
    receipt = ask(world.acme, before, "green tea")
    assert replay(world.acme, before, after).utilised_leaving.of == 0
    with tenant_tx(world.acme.tenant.id):
        record_outcome(
            receipt.id, OutcomePart(reply="Green, black, white, jasmine, oolong, mint, rose, ginger and barley tea.")
        )
    told = replay(world.acme, before, after)
    assert told.utilised_leaving.of == told.leaving > 0
    assert told.utilised_leaving.count > 0
    assert told.tokens_after < told.tokens_before


def test_nothing_is_told_of_other_versions_and_other_tenants(world: World) -> None:
    fill(world.acme)
    ask(world.acme, 1, "green tea")
    after = make(world.acme, {"ranking": {"use_recency": False}})
    assert replay(world.acme, after, 1).receipts == 0
    assert replay(world.acme, 1, after, receipts=0).receipts == 0
    with pytest.raises(PolicyUnknown):
        replay(world.globex, 1, after)


@pytest.mark.parametrize(
    ("made_by", "reason", "by"),
    [
        ({}, "other_release", "1"),
        ({"release": "1"}, "other_release", "1"),
        ({"relevance": "relevance-1"}, "other_relevance", "relevance-1"),
        ({"clauses": "clauses-1", "relevance": "relevance-1"}, "other_clauses", "clauses-1"),
    ],
)
def test_receipts_of_another_release_or_reader_are_refused_with_the_reason(
    world: World, made_by: dict[str, str], reason: str, by: str
) -> None:
    fill(world.acme)
    make(world.acme, {"context": {"memory": 60}})
    receipts = [ask(world.acme, 1, query) for query in QUESTIONS]
    own = receipts[0].made_by
    assert own.keys() == {"release", "clauses", "relevance"}
    with tenant_tx(world.acme.tenant.id):
        foreign = {**own, **made_by} if made_by else {}
        assert Receipt.objects.filter(id__in=[one.id for one in receipts[:3]]).update(made_by=foreign) == 3
        told = replay_policy(1, 2, receipts=10)
    assert (told.receipts, told.compared) == (4, 1)
    (refusal,) = told.refused
    assert (refusal.reason, refusal.made_by, refusal.receipts) == (reason, by, 3)
    assert refusal.now == own[reason.removeprefix("other_")]
