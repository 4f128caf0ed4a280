"""``prompt`` of ``POST subjects/{id}/context``: vendors' forms, and prefixes kept by Gemini. Rows: X9, E8, T1, C2."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from memory_platform.api.v1.recall.context import reply_to_draft
from memory_platform.providers.prompt_cache.vendor_requests import VENDORS, render_vendor_request
from memory_platform.providers.registry import forget_providers
from snapshots.context.pipeline import ContextCall, draft_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.context.writing.vendor_prompts import VendorRequest, make_vendor_prompt
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import KeptPrefix, Receipt
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.gemini_server import FakeGemini, gemini_server
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.model_server import Reply
from tests.snapshots.held import know, remember, say
from tests.snapshots.lifecycle.world import edit

ADA = "/v1/subjects/ada"
LONG = "You are the assistant of a car. " + "Answer in one sentence, 用用户的语言回答。 " * 200
KEPT: dict[str, Any] = {"vendor": "gemini", "cached_content": True}


@pytest.fixture
def gemini(settings: Settings) -> Iterator[FakeGemini]:
    with gemini_server() as running:
        settings.CHAT_ENDPOINTS, settings.PROMPT_CACHE_ENDPOINT = {"g": running.endpoint}, "g"
        forget_providers()
        yield running
        forget_providers()


def context(caller: Caller, path: str = ADA, *, key: str = "", **more: Any) -> dict[str, Any]:
    headers = {"Idempotency_Key": key} if key else {}
    asked = {"query": "Any snacks?", "system_prompt": LONG, "budget": {"total": 12_000, "system": 9_000}, **more}
    response = caller("POST", f"{path}/context", asked, **headers)
    assert response.status_code == 200, response.content
    return body_of(response)


def rows(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return KeptPrefix.objects.count()


def test_each_vendor_gets_its_form_and_nothing_else_changes(acme: Caller, world: World) -> None:
    know(world.acme, name="Ada 阿达")
    say(world.acme, "Hello", "我们出发吧", conversation="c1")
    plain = context(acme, conversation_id="c1")
    assert plain["prompt"] is None
    for vendor in sorted(VENDORS):
        answer = context(acme, conversation_id="c1", vendor=vendor)
        assert answer["prompt"] == {
            "vendor": vendor,
            "body": render_vendor_request(vendor, answer["messages"], answer["cache"]["prefix_hash"]),
            "cached_content": None,
            "degraded_reason": None,
        }
        assert "Ada 阿达" in str(answer["prompt"]["body"])
        assert answer["tokens"] == plain["tokens"]
        assert answer["cache"] == plain["cache"]
    with tenant_tx(world.acme.tenant.id):
        assert Receipt.objects.filter(prefix_hash=plain["cache"]["prefix_hash"]).count() == 1 + len(VENDORS)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"vendor": "cohere"}, "vendor"),
        ({"vendor": "openai", "format": "text"}, "vendor"),
        ({"cached_content": True}, "cached_content"),
        ({"vendor": "anthropic", "cached_content": True}, "cached_content"),
        ({"cached_content_lost": "cachedContents/a"}, "cached_content_lost"),
        ({**KEPT, "cached_content": "yes"}, "cached_content"),
    ],
)
def test_what_contradicts_itself_is_refused(acme: Caller, asked: dict[str, Any], field: str) -> None:
    response = acme("POST", f"{ADA}/context", {"query": "Hi", **asked})
    assert field in fields_of(problem_of(response, 400))


def test_gemini_keeps_the_prefix_and_the_prompt_names_it(acme: Caller, world: World, gemini: FakeGemini) -> None:
    know(world.acme, name="Ada 阿达")
    first = context(acme, **KEPT)
    again = context(acme, **KEPT, key="k1")
    prefix = first["messages"][0]["content"]
    assert "阿达" in prefix
    (kept,) = gemini.kept.values()
    assert kept["systemInstruction"] == {"parts": [{"text": prefix}]}
    assert gemini.request_methods == ["POST"]
    for answer in (first, again):
        prompt = answer["prompt"]
        assert prompt["body"]["cachedContent"] == prompt["cached_content"]["name"] == "cachedContents/c1"
        assert prompt["cached_content"]["model"] == "gemini-2.5-flash"
        assert prompt["cached_content"]["tokens"] == 2100
        assert prompt["degraded_reason"] is None
        assert "systemInstruction" not in prompt["body"]
        assert "阿达" not in str(prompt["body"])


@pytest.mark.parametrize("renamed", [False, True])
def test_a_context_made_anew_names_what_is_kept_of_its_own_prefix(
    world: World, gemini: FakeGemini, renamed: bool
) -> None:
    house = world.acme
    know(house, name="Ada 阿达")
    (memory,) = remember(house, "I like snacks 零食")
    request = ContextRequest("Any snacks?", LONG, BudgetRequest(total=12_000, system=9_000))
    draft = draft_context(house.tenant.id, "ada", ContextCall(request, "1"))
    prompt = make_vendor_prompt(house.tenant.id, house.subject.id, draft.context, VendorRequest("gemini", True))
    assert prompt.body["cachedContent"] == "cachedContents/c1"
    edit(house, SnapshotAddress("ada", memory), text="I like fruit 水果")
    if renamed:
        know(house, name="Grace")
    with tenant_tx(house.tenant.id):
        told = reply_to_draft(draft, prompt).data["prompt"]
    assert "水果" in str(told["body"])
    assert "零食" not in str(told["body"])
    assert told["body"].get("cachedContent") == (None if renamed else "cachedContents/c1")
    assert ("systemInstruction" in told["body"]) is renamed
    assert told["degraded_reason"] == ("cached_content_unavailable" if renamed else None)
    assert gemini.request_methods == ["POST"]


def test_another_prefix_is_another_content(acme: Caller, world: World, gemini: FakeGemini) -> None:
    know(world.acme, name="Ada")
    context(acme, **KEPT)
    know(world.acme, city="上海")
    assert context(acme, **KEPT)["prompt"]["cached_content"]["name"] == "cachedContents/c2"


@pytest.mark.parametrize("key", ["", "k1"])
def test_without_the_vendor_the_ordinary_prompt_says_why(
    acme: Caller, world: World, gemini: FakeGemini, key: str
) -> None:
    know(world.acme, name="Ada")
    gemini.instead = lambda _: Reply({}, status=500)
    answer = context(acme, **KEPT, key=key)
    assert answer["prompt"]["degraded_reason"] == "cached_content_unavailable"
    assert answer["prompt"]["cached_content"] is None
    assert answer["prompt"]["body"] == render_vendor_request(
        "gemini", answer["messages"], answer["cache"]["prefix_hash"]
    )
    assert answer["degraded_reason"] is None
    if key:
        assert context(acme, **KEPT, key=key) == answer
        assert gemini.request_methods == ["POST"]


def test_reasons_of_the_caller_s_side(acme: Caller, world: World, gemini: FakeGemini, settings: Settings) -> None:
    assert context(acme, "/v1/subjects/new", **KEPT, key="k")["prompt"]["degraded_reason"] == "subject_is_new"
    assert context(acme, **KEPT, system_prompt="Short.")["prompt"]["degraded_reason"] == "prefix_too_small"
    settings.PROMPT_CACHE_ENDPOINT = ""
    assert context(acme, **KEPT)["prompt"]["degraded_reason"] == "cached_content_not_configured"
    assert gemini.request_methods == []


def test_what_the_product_reports_as_lost_is_made_anew(acme: Caller, world: World, gemini: FakeGemini) -> None:
    name = context(acme, **KEPT)["prompt"]["cached_content"]["name"]
    gemini.kept.clear()
    answer = context(acme, vendor="gemini", cached_content_lost=name)
    assert answer["prompt"]["cached_content"]["name"] == "cachedContents/c2"
    assert gemini.request_methods == ["POST", "PATCH", "POST"]


def test_globex_gets_and_loses_nothing_of_ada(acme: Caller, globex: Caller, world: World, gemini: FakeGemini) -> None:
    name = context(acme, **KEPT)["prompt"]["cached_content"]["name"]
    globex("PUT", ADA, {})
    other = context(globex, vendor="gemini", cached_content_lost=name)["prompt"]["cached_content"]["name"]
    assert other != name
    assert set(gemini.kept) == {name, other}
    assert (rows(world.acme), rows(world.globex)) == (1, 1)
    assert globex("DELETE", ADA).status_code == 200
    assert set(gemini.kept) == {name}


def test_an_erased_subject_s_prefix_leaves_the_vendor(acme: Caller, world: World, gemini: FakeGemini) -> None:
    know(world.acme, name="Ada 阿达")
    context(acme, **KEPT)
    certificate = body_of(acme("DELETE", ADA))["certificate"]
    assert gemini.kept == {}
    assert certificate["verified"]["kept_prompts"] == {"deleted": 1, "left": 0}
    assert rows(world.acme) == 0
