"""Prefixes that a vendor keeps, over real HTTP to a fake Gemini and Vertex. Rows: X9, E8, T1, L1."""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.kernel.clock import utc_now
from memory_platform.postgres.prepared_statements import Statement
from memory_platform.providers.config import PROMPT_CACHE
from memory_platform.providers.contracts import KeptPrompt
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from memory_platform.providers.prompt_cache.gemini_cached_content import CachedContents
from profiles.services.erasure_certificates import build_certificate, is_genuine
from profiles.services.subjects import ensure_subject
from snapshots.erasure.subjects import erase_subject
from snapshots.models import KeptPrefix
from snapshots.prompt_cache.cache_prefix import NotKept, StablePrefix, cache_prefix, remove_prefixes
from tenants.isolation import tenant_tx
from tenants.isolation.scope import tenant_reads
from tenants.models import CACHE, ModelPrice, ModelUsage, UsageDay
from tenants.services.audit import COMMAND_LINE
from tenants.services.usage.daily_costs import usage_by_day
from tenants.services.usage.metered_chat import _SPENT
from tests.conftest import House, World
from tests.gemini_server import KEY, FakeGemini, gemini_server
from tests.model_server import Reply, Request

TOKENS, LIVES = 2_100, timedelta(minutes=10)


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    with gemini_server() as running:
        yield running


def read_ledger(house: House) -> tuple[int, int, int, float]:
    """Return calls, failures, tokens read, and minutes for which all tokens are kept."""
    with tenant_tx(house.tenant.id):
        used = ModelUsage.objects.get(purpose=CACHE, model="gemini-2.5-flash")
    return used.calls, used.failures, used.input_tokens, float(used.token_hours) * 60 / TOKENS


def about(minutes: float) -> Any:
    return pytest.approx(minutes, abs=0.2)


def test_made_is_read_once_and_kept_for_its_time(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    assert read_ledger(world.acme) == (1, 0, TOKENS, about(10))
    name_of(world.acme, kept_by)  # handed out without a call
    assert read_ledger(world.acme) == (1, 0, TOKENS, about(10))
    with tenant_tx(world.globex.tenant.id):
        assert not ModelUsage.objects.exists()


def test_extended_is_kept_for_longer_and_not_read_again(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    earlier(world.acme, timedelta(minutes=3))
    name_of(world.acme, kept_by)
    assert read_ledger(world.acme) == (2, 0, TOKENS, about(10 + 7))


def test_what_an_erasure_ends_is_booked_back(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    remove_prefixes(world.acme.tenant.id, subject_of(world.acme), kept_by)
    assert read_ledger(world.acme) == (2, 0, TOKENS, about(0))


@pytest.mark.parametrize("status", [429, 500])
def test_a_call_that_fails_is_counted_as_one(world: World, gemini: FakeGemini, status: int) -> None:
    gemini.instead = lambda _: Reply({}, status=status)
    assert keep(world.acme, keeper(gemini)) is NotKept.UNAVAILABLE
    assert read_ledger(world.acme) == (1, 1, 0, 0)


def test_where_the_vendor_tells_no_tokens_the_estimate_counts(world: World, gemini: FakeGemini) -> None:
    ends = (utc_now() + LIVES).isoformat()
    gemini.instead = lambda _: Reply({"name": "cachedContents/x", "expireTime": ends})
    name_of(world.acme, keeper(gemini))
    assert read_ledger(world.acme)[2] == 2_048


def test_it_has_its_price_and_takes_nothing_from_the_day_s_tokens(world: World, gemini: FakeGemini) -> None:
    today = utc_now().date()
    money = {"input": "0.30", "cached_input": "0.03", "output": "2.50", "storage": "6", "currency": "USD"}
    told = {"tier": "light", "valid_from": today, "source": "made up"}
    price = ModelPrice.objects.create(model="gemini-2.5-flash", **money, **told)
    try:
        name_of(world.acme, keeper(gemini))
        with tenant_tx(world.acme.tenant.id):
            UsageDay.objects.create(day=today)
        (day,) = usage_by_day(world.acme.tenant.id, today, today)
    finally:
        price.delete()
    assert day.model_tokens == TOKENS
    assert day.cost is not None
    assert float(day.cost) == pytest.approx(TOKENS * (0.30 + 6 / 6) / 1e6, abs=3e-5)
    assert day.cost > Decimal(TOKENS) * Decimal("0.30") / 1_000_000
    [[spent]] = tenant_reads(world.acme.tenant.id, [Statement(_SPENT, [world.acme.tenant.id, CACHE])])
    assert spent == (0, 0)


TEXT = "You are a helpful assistant. Ada 不吃花生."
HASTY = replace(PROMPT_CACHE, seconds=0.3)


def keeper(gemini: FakeGemini) -> CachedContents:
    return CachedContents(gemini.endpoint, HASTY)


def subject_of(house: House, name: str = "ada") -> UUID:
    with tenant_tx(house.tenant.id):
        return ensure_subject(name).id


def prefix_of(house: House, **other: Any) -> StablePrefix:
    return replace(StablePrefix(subject_of(house), TEXT, "a1" * 32, 2_048), **other)


def keep(house: House, kept_by: CachedContents | None, **more: Any) -> KeptPrompt | NotKept:
    return cache_prefix(house.tenant.id, prefix_of(house), kept_by, **{"config": HASTY, **more})


def name_of(house: House, kept_by: CachedContents, **more: Any) -> str:
    kept = keep(house, kept_by, **more)
    assert isinstance(kept, KeptPrompt), kept
    return kept.name


def change(house: House, **columns: Any) -> None:
    with tenant_tx(house.tenant.id):
        KeptPrefix.objects.update(**columns)


def row(house: House) -> KeptPrefix:
    with tenant_tx(house.tenant.id):
        return KeptPrefix.objects.get()


def earlier(house: House, left: timedelta) -> None:
    """Set the time that the kept prefix has left."""
    with tenant_tx(house.tenant.id), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE kept_prefix SET expires_at = now() + %s::interval WHERE tenant_id = %s",
            [str(left), house.tenant.id],
        )


def test_it_is_made_once_and_handed_out_while_it_lives(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    first = keep(world.acme, kept_by)
    assert isinstance(first, KeptPrompt)
    assert (first.name, first.tokens) == ("cachedContents/c1", 2100)
    assert keep(world.acme, kept_by) == first
    (request,) = gemini.server.requests
    assert (request.method, request.path) == ("POST", "/v1beta/cachedContents")
    assert request.headers["x-goog-api-key"] == KEY
    assert "authorization" not in request.headers
    assert request.body == {
        "model": "models/gemini-2.5-flash",
        "systemInstruction": {"parts": [{"text": TEXT}]},
        "ttl": "600s",
    }


def test_vertex_is_asked_in_its_project_with_a_token(world: World, gemini: FakeGemini) -> None:
    endpoint = ChatEndpoint(
        kind="google-vertex",
        model="gemini-2.5-pro",
        base_url=gemini.endpoint.base_url,
        project="p-1",
        region="europe-west1",
    )
    kept_by = CachedContents(endpoint, HASTY, token=lambda: "ya29.some")
    name = name_of(world.acme, kept_by)
    assert name == "projects/p-1/locations/europe-west1/cachedContents/c1"
    earlier(world.acme, timedelta(minutes=2))
    assert name_of(world.acme, kept_by) == name
    made, extended = gemini.server.requests
    assert made.path == "/v1/projects/p-1/locations/europe-west1/cachedContents"
    assert made.headers["authorization"] == "Bearer ya29.some"
    assert made.body["model"] == "projects/p-1/locations/europe-west1/publishers/google/models/gemini-2.5-pro"
    assert (extended.method, extended.path) == ("PATCH", f"/v1/{name}?updateMask=ttl")


def test_without_google_s_credentials_the_prompt_goes_without(world: World, gemini: FakeGemini) -> None:
    def nothing() -> str:
        raise ImportError("no google.auth here")

    endpoint = ChatEndpoint(kind="google-vertex", model="gemini-2.5-pro", project="p-1", region="r")
    assert keep(world.acme, CachedContents(endpoint, HASTY, token=nothing)) is NotKept.UNAVAILABLE


def test_many_at_once_make_one(world: World, gemini: FakeGemini) -> None:
    kept_by, prefix = keeper(gemini), prefix_of(world.acme)
    gemini.instead = lambda _: time.sleep(0.1)

    def ask(_: int) -> KeptPrompt | NotKept:
        try:
            return cache_prefix(world.acme.tenant.id, prefix, kept_by, config=HASTY)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(ask, range(6)))
    assert gemini.request_methods == ["POST"]
    assert {one.name if isinstance(one, KeptPrompt) else one for one in found} <= {
        "cachedContents/c1",
        NotKept.BEING_MADE,
    }


def test_tenants_never_share_one(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    assert name_of(world.acme, kept_by) != name_of(world.globex, kept_by)
    assert gemini.request_methods == ["POST", "POST"]


def test_one_that_is_used_is_extended_before_it_ends(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name = name_of(world.acme, kept_by)
    earlier(world.acme, timedelta(minutes=3))
    assert name_of(world.acme, kept_by) == name
    assert gemini.request_methods == ["POST", "PATCH"]
    assert name_of(world.acme, kept_by) == name
    assert gemini.request_methods == ["POST", "PATCH"]


def test_one_that_ended_is_made_anew_without_asking_for_it(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    earlier(world.acme, timedelta(seconds=-1))
    assert name_of(world.acme, kept_by) == "cachedContents/c2"
    assert gemini.request_methods == ["POST", "POST"]


@pytest.mark.parametrize("status", [403, 404])
def test_one_that_the_vendor_lost_is_made_anew(world: World, gemini: FakeGemini, status: int) -> None:
    kept_by = keeper(gemini)
    name = name_of(world.acme, kept_by)
    gemini.instead = lambda request: Reply({}, status=status) if request.method == "PATCH" else None
    assert name_of(world.acme, kept_by, lost_name=name) == "cachedContents/c2"
    assert gemini.request_methods == ["POST", "PATCH", "POST"]
    assert kept_by._service.answering


def test_a_product_cannot_lose_another_s_or_one_that_stands(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name = name_of(world.acme, kept_by)
    assert name_of(world.acme, kept_by, lost_name="cachedContents/other") == name
    assert gemini.request_methods == ["POST"]
    assert name_of(world.acme, kept_by, lost_name=name) == name
    assert gemini.request_methods == ["POST", "PATCH"]


GOOD = {"name": "cachedContents/x", "expireTime": "2030-01-01T00:00:00Z"}
BAD = {
    "late": Reply(GOOD, hang_s=1.0),
    "429": Reply({}, status=429, headers={"Retry-After": "1"}),
    "500": Reply({}, status=500),
    "400": Reply({"error": {"message": "too small"}}, status=400),
    "401": Reply({}, status=401),
    "no JSON": Reply(b"<html>"),
    "a list": Reply([GOOD]),
    "no name": Reply({"expireTime": GOOD["expireTime"]}),
    "a name of another type": Reply(GOOD | {"name": 7}),
    "a path for a name": Reply(GOOD | {"name": "../v1/models"}),
    "no time": Reply(GOOD | {"expireTime": "tomorrow"}),
    "a time without a zone": Reply(GOOD | {"expireTime": "2030-01-01T00:00:00"}),
    "usage of another type": Reply(GOOD | {"usageMetadata": [1]}),
    "too long": Reply(b" " * 100_000),
}


@pytest.mark.parametrize("kind", sorted(BAD))
def test_whatever_the_vendor_does_the_prompt_goes_without(
    world: World, gemini: FakeGemini, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    kept_by = keeper(gemini)
    gemini.instead = lambda _: BAD[kind]
    with caplog.at_level(logging.INFO):
        assert keep(world.acme, kept_by) is NotKept.UNAVAILABLE
        assert keep(world.acme, kept_by) is NotKept.BEING_MADE  # it rests
    assert gemini.request_methods == ["POST"]
    assert not [word for word in (KEY, "花生", "127.0.0.1") if word in caplog.text]
    gemini.instead = lambda _: None
    change(world.acme, claimed_until="2020-01-01T00:00:00Z")
    assert name_of(world.acme, kept_by)


def test_one_that_cannot_be_extended_is_used_to_its_last_minute(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name = name_of(world.acme, kept_by)
    gemini.instead = lambda _: Reply({}, status=500)
    earlier(world.acme, timedelta(minutes=2))
    assert name_of(world.acme, kept_by) == name
    earlier(world.acme, timedelta(seconds=30))
    assert keep(world.acme, kept_by) is NotKept.BEING_MADE


def test_the_vendor_s_time_never_lengthens_what_was_asked_for(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    gemini.instead = lambda _: Reply(GOOD)
    keep(world.acme, kept_by)
    assert row(world.acme).expires_at <= row(world.acme).claimed_until + HASTY.lives


def test_reasons_that_need_no_call(world: World, gemini: FakeGemini) -> None:
    kept_by, acme = keeper(gemini), world.acme
    assert keep(acme, None) is NotKept.NOT_CONFIGURED
    small, new = prefix_of(acme, tokens=2_047), prefix_of(acme, subject_id=None)
    assert cache_prefix(acme.tenant.id, small, kept_by) is NotKept.TOO_SMALL
    assert cache_prefix(acme.tenant.id, new, kept_by) is NotKept.NEW_SUBJECT
    assert CachedContents(gemini.endpoint.model_copy(update={"model": "gemini-3-flash"})).least_tokens == 4_096
    assert gemini.request_methods == []


def test_no_call_is_made_with_a_transaction_open(world: World, gemini: FakeGemini) -> None:
    with pytest.raises(ModelCallInTransaction), transaction.atomic():
        keeper(gemini).make(TEXT)
    assert gemini.request_methods == []


def test_an_erasure_has_it_deleted_and_says_so(world: World, gemini: FakeGemini, settings: Any) -> None:
    settings.CHAT_ENDPOINTS, settings.PROMPT_CACHE_ENDPOINT = {"g": gemini.endpoint}, "g"
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    others = name_of(world.globex, kept_by)
    erasure, _ = erase_subject(world.acme.tenant.id, "ada", by=COMMAND_LINE)
    assert set(gemini.kept) == {others}
    assert erasure.verified["kept_prompts"] == {"deleted": 1, "left": 0}
    assert erasure.erased["kept_prefix"] == 1
    assert is_genuine(build_certificate(erasure))


def test_an_erasure_says_what_it_could_not_have_deleted(world: World, gemini: FakeGemini) -> None:
    kept_by, acme = keeper(gemini), world.acme.tenant.id
    name_of(world.acme, kept_by)
    assert remove_prefixes(acme, subject_of(world.acme), None)["left"] == 1
    moved = CachedContents(gemini.endpoint.model_copy(update={"api_key": "another"}), HASTY)
    assert remove_prefixes(acme, subject_of(world.acme), moved)["left"] == 1
    assert gemini.request_methods == ["POST"]
    gemini.instead = lambda _: Reply({}, status=500)
    told = remove_prefixes(acme, subject_of(world.acme), kept_by)
    assert (told["deleted"], told["left"]) == (0, 1)
    assert told["gone_by"] == row(world.acme).gone_by.isoformat()
    gemini.instead = lambda _: None
    assert remove_prefixes(acme, subject_of(world.acme), kept_by) == {"deleted": 1, "left": 0}


def test_an_answer_that_never_came_is_said_to_stand(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    gemini.instead = lambda _: Reply(GOOD, hang_s=0.6)
    keep(world.acme, kept_by)
    told = remove_prefixes(world.acme.tenant.id, subject_of(world.acme), kept_by)
    assert (told["deleted"], told["left"]) == (0, 1)


def test_what_was_made_during_an_erasure_is_deleted_by_its_maker(world: World, gemini: FakeGemini) -> None:
    kept_by, acme = keeper(gemini), world.acme.tenant.id
    subject = subject_of(world.acme)

    def erased_meanwhile(request: Request) -> None:
        if request.method == "POST":
            remove_prefixes(acme, subject, None)
            connection.close()

    gemini.instead = erased_meanwhile
    assert keep(world.acme, keeper(gemini)) is NotKept.UNAVAILABLE
    assert gemini.request_methods == ["POST", "DELETE"]
    assert gemini.kept == {}
    change(world.acme, claimed_until="2020-01-01T00:00:00Z")
    with tenant_tx(acme), connection.cursor() as cursor:
        cursor.execute("UPDATE subject SET erasing = true WHERE tenant_id = %s", [acme])
    prefix = StablePrefix(subject, TEXT, "a1" * 32, 2_048)
    assert cache_prefix(acme, prefix, kept_by, config=HASTY) is NotKept.BEING_MADE
    assert gemini.request_methods == ["POST", "DELETE"]


def test_rows_of_what_is_gone_leave_with_the_next(world: World, gemini: FakeGemini) -> None:
    kept_by, acme = keeper(gemini), world.acme
    name_of(acme, kept_by)
    change(acme, gone_by="2020-01-01T00:00:00Z")
    cache_prefix(acme.tenant.id, prefix_of(acme, hash="b2" * 32), kept_by, config=HASTY)
    assert row(acme).prefix_hash == "b2" * 32
