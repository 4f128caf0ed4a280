"""A whole life with the platform, and a marker word in it: after an erasure it stands in no column and no key of Redis.

Rows: E8, E7, D1, D2. Matrix: 57.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin import site
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory_platform.providers.redis.client import redis_client
from profiles.models import Erasure
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.feedback.tallies.indicator_roll_up import roll_up_recent_indicators
from snapshots.feedback.tallies.memory_tallies import roll_up_tallies
from snapshots.jobs import ASKED, drain_work_job
from snapshots.lifecycle.confidence_calibration import calibrate_tenant
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.lifecycle.retention.message_archive import archive_tenant
from snapshots.models import (
    BeliefCounter,
    Calibration,
    Conversation,
    ConversationStatus,
    Indicator,
    MemoryReview,
    Message,
    Snapshot,
    SnapshotCounter,
    Work,
    WorkState,
)
from snapshots.queue.requested_jobs import run_due_jobs
from snapshots.window.config import WINDOW_CONFIG
from snapshots.window.redis_store import make_window_key
from tenants.isolation import tenant_tx
from tenants.models import Role, TenantOwned
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.console.conftest import log_in
from tests.snapshots.erasure.everywhere import redis_holds, tables_with

pytestmark = pytest.mark.slow

ADA = "/v1/subjects/ada"
TRIP = f"{ADA}/conversations/trip"
SPREAD = {
    "candidate",
    "conversation",
    "idempotent_reply",
    "message",
    "preference",
    "receipt",
    "receipt_memory",
    "snapshot",
    "subject",
}
"""Tables that the word reaches."""
LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Life:
    """What somebody says, with one word in all of it that nobody else says."""

    word: str
    said: str
    kept: str


LIVES = (
    Life(
        "kestrel4711",
        "I love Kestrel4711 ice cream. My name is Fay Kestrel4711.",
        "I am allergic to peanuts and my brother keeps bees in Ghent",
    ),
    Life(
        "红隼四七一一",
        "我喜欢红隼四七一一冰淇淋。我家住在上海市红隼四七一一路1266号。",
        "我对花生过敏,我弟弟在根特养蜂",
    ),
)


@pytest.fixture(autouse=True)
def clean_redis() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    yield


@pytest.fixture(params=LIVES, ids=["en", "zh"])
def life(request: pytest.FixtureRequest) -> Life:
    one: Life = request.param
    return one


def work(house: House) -> None:
    drain_work_job(tenant_id=str(house.tenant.id))
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)


def ok(response: Any) -> dict[str, Any]:
    assert response.status_code < 300, response.content
    return body_of(response) if response.content else {}


def live_through(world: World, life: Life) -> None:
    """Say it, hear of it, have it cared for, exported and imported again."""
    house, acme = world.acme, Caller(world.acme)
    turns = [{"role": "user", "content": life.said}, {"role": "user", "content": life.kept}]
    ok(acme("POST", f"{TRIP}/messages", {"messages": turns}, Idempotency_Key="said"))
    work(house)
    for number in range(2):
        asked = {"query": life.said, "conversation_id": "trip"}
        context = ok(acme("POST", f"{ADA}/context", asked, Idempotency_Key=f"asked {number}"))
        answer_context(acme, context["receipt_id"], life)
    ok(acme("POST", f"{ADA}/recall", {"query": life.said}))
    work(house)
    with tenant_tx(house.tenant.id):
        Message.objects.filter(seq=1).update(tool_calls=[{"name": "search", "arguments": life.said}])
    ok(acme("POST", f"{TRIP}/end", {}))
    work(house)
    cared_for(house)
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(summary=f"So far: {life.said}", summarised_seq=2)
    ok(acme("POST", "/v1/import", acme("GET", f"{ADA}/export").content, Content_Type=LINES))
    work(house)


def answer_context(acme: Caller, receipt_id: str, life: Life) -> None:
    """Tell what came of a context, in the product's own words, too."""
    shown = ok(acme("GET", f"/v1/receipts/{receipt_id}"))["candidates"]
    injected = [one["memory_id"] for one in shown if one["context_position"] is not None]
    verdicts = [{"memory_id": one, "signal": "positive", "reason": f"on {life.word}"} for one in injected]
    told = {"reply": f"Enjoy {life.word}!", "next_user_message": f"{life.word}?", "verdicts": verdicts}
    ok(acme("POST", f"/v1/receipts/{receipt_id}/outcome", told, Idempotency_Key=f"told {receipt_id}"))


def cared_for(house: House) -> None:
    """Let every memory be counted, calibrated and asked about."""
    roll_up_tallies(house.tenant.id)
    roll_up_recent_indicators(house.tenant.id)
    with tenant_tx(house.tenant.id):
        for tally in (SnapshotCounter, BeliefCounter):
            tally.objects.update(injected=20, judged=20, positive=0)
    calibrate_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        Snapshot.objects.update(last_validated_at=timezone.now() - timedelta(days=200))
    review_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        assert Indicator.objects.exists()
        assert Calibration.objects.exists()
        assert MemoryReview.objects.exists()


def archive_everything(house: House) -> None:
    """Let time pass until the words of all conversations have moved to the archive."""
    with tenant_tx(house.tenant.id):
        past = timezone.now() - timedelta(days=100)
        Work.objects.update(state=WorkState.DONE, done_at=past)
        Conversation.objects.update(last_accepted_at=past, restored_at=None, status=ConversationStatus.ENDED)
    assert archive_tenant(house.tenant.id) == 2


def memories_saying(house: House, word: str) -> list[UUID]:
    with tenant_tx(house.tenant.id):
        rows = Snapshot.objects.filter(kind="statement", text__icontains=word)
        return list(rows.values_list("id", flat=True))


def forget_the_memory(world: World, life: Life) -> None:
    (memory,) = memories_saying(world.acme, life.word)
    ok(Caller(world.acme)("POST", f"{ADA}/snapshots/{memory}/forget", {}))


def delete_the_conversation(world: World, life: Life) -> None:
    ok(Caller(world.acme)("DELETE", TRIP))


def delete_the_subject(world: World, life: Life) -> None:
    ok(Caller(world.acme)("DELETE", ADA))


ERASE: dict[str, Callable[[World, Life], None]] = {
    "memory": forget_the_memory,
    "conversation": delete_the_conversation,
    "subject": delete_the_subject,
}


@pytest.mark.parametrize("scope", sorted(ERASE))
def test_the_word_stands_nowhere(world: World, life: Life, scope: str) -> None:
    live_through(world, life)
    assert tables_with(life.word).keys() >= SPREAD
    assert redis_holds(life.word)
    ERASE[scope](world, life)
    assert (tables_with(life.word), redis_holds(life.word)) == ({}, [])
    work(world.acme)
    assert (tables_with(life.word), redis_holds(life.word)) == ({}, [])
    with tenant_tx(world.acme.tenant.id):
        assert [is_genuine(build_certificate(one)) for one in Erasure.objects.all()] == [True]


@pytest.mark.parametrize("scope", sorted(ERASE))
@pytest.mark.parametrize(
    ("moves", "life"), [("archive restore", LIVES[0]), ("archive restore archive", LIVES[1])], ids=["back", "away"]
)
def test_the_archive_brings_nothing_back(world: World, life: Life, scope: str, moves: str) -> None:
    house, acme = world.acme, Caller(world.acme)
    ok(acme("POST", f"{TRIP}/messages", {"messages": [{"role": "user", "content": life.said}]}))
    ok(acme("POST", f"{TRIP}/messages", {"messages": [{"role": "user", "content": life.kept}]}))
    ok(acme("POST", f"{TRIP}/end", {}))
    work(house)
    for move in moves.split():
        if move == "archive":
            archive_everything(house)
        else:
            ok(acme("POST", f"{TRIP}/restore", {}))
    ERASE[scope](world, life)
    assert tables_with(life.word) == {}
    for _ in range(2):
        again = acme("POST", f"{TRIP}/restore", {})
        assert again.status_code == (200 if scope == "memory" else 404)
        work(house)
    assert (tables_with(life.word), redis_holds(life.word)) == ({}, [])
    with tenant_tx(house.tenant.id):
        kept = list(Message.objects.order_by("seq").values_list("content", flat=True))
    assert kept == (["", life.kept] if scope == "memory" else [])


@pytest.mark.parametrize(("scope", "life"), [("memory", LIVES[1]), ("subject", LIVES[0])], ids=["memory", "subject"])
def test_staff_find_it_no_more_and_leave_no_trace_of_it_either(world: World, life: Life, scope: str) -> None:
    """The word that staff look for stands in the address of a page: no record keeps that."""
    mia = log_in("mia", tenant=world.acme.tenant, role=Role.MANAGER)
    live_through(world, life)
    assert len(screens_with(mia, life.word)) > 3
    ERASE[scope](world, life)
    work(world.acme)
    assert screens_with(mia, life.word) == []
    assert tables_with(life.word) == {}


def screens_with(client: Client, word: str) -> list[str]:
    """Return the tenant's lists that show the word, or find rows by it."""
    screens = []
    for model in (model for model in site._registry if issubclass(model, TenantOwned)):
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        shown = word in client.get(address).content.decode().casefold()
        found = client.get(address, {"q": word}).context.get("cl")
        if shown or (found and found.result_list):
            screens.append(address)
    return screens


@pytest.mark.parametrize("life", LIVES[:1], ids=["en"])
def test_redis_knows_no_erased_subject(world: World, life: Life) -> None:
    """What is left of its windows are graves: a key of the conversation, without turns, that runs out."""
    live_through(world, life)
    with tenant_tx(world.acme.tenant.id):
        conversations = [str(one) for one in Conversation.objects.values_list("id", flat=True)]
    delete_the_subject(world, life)
    assert redis_holds(str(world.acme.subject.id), "ada", life.word) == []
    assert redis_holds(*conversations) == [
        make_window_key(world.acme.tenant.id, UUID(one)).encode() for one in conversations
    ]
    for key in redis_holds(*conversations):
        held = redis_client().call("tests", lambda client, key=key: client.hget(key, "turns"))  # type: ignore[misc]
        lasts = redis_client().call("tests", lambda client, key=key: client.ttl(key))  # type: ignore[misc]
        assert not held
        assert 0 < lasts <= WINDOW_CONFIG.grave_for.total_seconds()


def test_what_another_tenant_imported_is_its_own_to_erase(world: World, life: Life) -> None:
    acme, globex = Caller(world.acme), Caller(world.globex)
    live_through(world, life)
    exported = acme("GET", f"{ADA}/export").content
    delete_the_subject(world, life)
    ok(globex("POST", "/v1/import", exported, Content_Type=LINES))
    work(world.globex)
    assert life.word not in str(rows_of(world.acme.tenant.id)).casefold()
    assert tables_with(life.word)
    assert acme("GET", ADA).status_code == 404
    ok(globex("DELETE", ADA))
    assert (tables_with(life.word), redis_holds(life.word)) == ({}, [])


@pytest.mark.parametrize("life", LIVES[1:], ids=["zh"])
def test_counts_of_a_day_stay_and_name_nobody(world: World, life: Life) -> None:
    live_through(world, life)
    with tenant_tx(world.acme.tenant.id):
        before = list(Indicator.objects.values())
        ids = {str(one) for one in Snapshot.objects.values_list("id", flat=True)} | {str(world.acme.subject.id)}
    delete_the_subject(world, life)
    with tenant_tx(world.acme.tenant.id):
        assert list(Indicator.objects.values()) == before
        assert not any(one in str(before) for one in ids)
    roll_up_recent_indicators(world.acme.tenant.id)
    assert tables_with(*ids) == {}
