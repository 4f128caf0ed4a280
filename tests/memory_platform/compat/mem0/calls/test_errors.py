"""Errors as mem0's clients read them: JSON with `detail` and `error`, whole numbers, no redirects. Rows: D3."""

from dataclasses import fields
from typing import Any
from uuid import UUID

import httpx
import pytest

from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tenants.services.usage.quotas import set_limits
from tests.conftest import House
from tests.memory_platform.compat.mem0.calls_of_clients import CALLS, Mem0Ids
from tests.memory_platform.compat.mem0.conftest import Mem0Site

ADD, SEARCH = "/v3/memories/add/", "/v3/memories/search/"
OF_U = {"filters": {"user_id": "u"}}


def check_error(answer: httpx.Response, status: int, words: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    told = answer.json()
    assert told["detail"] == told["error"]
    assert words in told["detail"]


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "words"),
    [
        ("POST", ADD, {"content": b"{"}, 400, "JSON"),
        ("POST", ADD, {"json": {"messages": "x"}}, 400, "user_id"),
        ("POST", ADD, {"json": {"messages": [], "user_id": "u"}}, 400, "messages"),
        ("POST", ADD, {"json": {"messages": None, "user_id": "u"}}, 400, "messages"),
        ("POST", ADD, {"json": {"messages": [{"role": "poet", "content": "x"}], "user_id": "u"}}, 400, "role"),
        ("POST", ADD, {"json": {"messages": "x", "user_id": "a/b"}}, 400, "user_id"),
        ("POST", ADD, {"json": {"messages": "x", "user_id": "agent:x"}}, 400, "agents, apps and runs"),
        ("POST", ADD, {"json": {"messages": "x", "user_id": "u", "metadata": {"mem0:role": "x"}}}, 400, "reserved"),
        ("POST", ADD, {"json": {"messages": "x", "user_id": "u", "timestamp": 10**12}}, 400, "timestamp"),
        ("POST", ADD, {"json": {"messages": "x", "user_id": "u", "filters": {"AND": []}}}, 400, "filters"),
        ("POST", ADD, {"content": b"a=b", "headers": {"Content-Type": "text/plain"}}, 415, "Content-Type"),
        ("POST", "/v3/memories/", {"json": {}}, 400, "Name at least one of user_id"),
        ("POST", "/v3/memories/?page=0", {"json": {"filters": {"user_id": "u"}}}, 400, "page"),
        ("POST", SEARCH, {"json": OF_U}, 400, "query: This field is required"),
        ("POST", SEARCH, {"json": {"query": "x", **OF_U, "threshold": 2}}, 400, "threshold"),
        ("PUT", f"/v1/memories/{UUID(int=0)}/", {"json": {"text": "x"}}, 404, "No memory"),
        ("DELETE", "/v1/memories/", {}, 400, "Name at least one"),
        ("DELETE", "/v1/memories/?metadata={'n':1}", {}, 400, "Name at least one"),
        ("DELETE", "/v2/entities/user/%2A/", {}, 400, "Name one"),
        ("POST", ADD, {"json": {"messages": "x", "user_id": "*"}}, 400, "means any"),
        ("DELETE", "/v1/memories/?filters=open(1)", {}, 400, "filters"),
        ("DELETE", "/v1/batch/", {"json": {"memories": []}}, 400, "memories"),
        ("DELETE", "/v2/entities/planet/mars/", {}, 400, "entity_type"),
        ("DELETE", "/v2/entities/user/a%2Fb/", {}, 400, "/"),
        ("GET", "/v1/event/x/", {}, 404, "No event with this id"),
        ("GET", "/v9/none/", {}, 404, "No such path"),
        ("GET", ADD, {}, 405, "POST"),
    ],
)  # fmt: skip
def test_each_error_says_what_is_wrong(
    site: Mem0Site, method: str, path: str, sent: dict[str, Any], status: int, words: str
) -> None:
    if "content" in sent:
        sent = {"headers": {"Content-Type": "application/json"}, **sent}
    check_error(site.call(method, path, site.world.acme, **sent), status, words)


def test_a_key_that_only_reads_cannot_write(site: Mem0Site) -> None:
    acme = site.world.acme
    with tenant_tx(acme.tenant.id):
        reader = House(acme.tenant, create_key(name="r", scopes=["memory:read"], by=COMMAND_LINE).token, acme.subject)
    kept = {"messages": "x", "user_id": "u", "infer": False}
    check_error(site.call("POST", ADD, reader, json=kept), 403, "memory:write")
    check_error(site.call("DELETE", "/v1/memories/?user_id=u", reader), 403, "memory:write")
    assert site.call("POST", "/v3/memories/", reader, json={"filters": {"user_id": "u"}}).status_code == 200
    assert site.call("GET", "/v1/ping/", reader).status_code == 200


def test_a_key_of_one_subject_is_refused_everywhere(site: Mem0Site) -> None:
    acme = site.world.acme
    with tenant_tx(acme.tenant.id):
        made = create_key(name="b", scopes=["memory:read", "memory:write"], by=COMMAND_LINE, bound_subject="ada")
    bound, ids = House(acme.tenant, made.token, acme.subject), Mem0Ids(*["ada"] * len(fields(Mem0Ids)))
    for call in CALLS:
        path = call.path(ids)
        reason = "scope admin" if "webhooks" in path else "subject"
        check_error(site.call(call.method, path, bound, json=call.body(ids)), 403, reason)


@pytest.mark.parametrize("path", ["/v1/ping/", "/v1/ping", "//v1/ping/"])
@pytest.mark.parametrize("header", [("Authorization", "Token {}"), ("Authorization", "Bearer {}"), ("X-API-Key", "{}")])
def test_every_form_of_address_and_key_is_answered_at_once(site: Mem0Site, path: str, header: tuple[str, str]) -> None:
    name, form = header
    answer = site.call("GET", path, headers={name: form.format(site.world.acme.token)})
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")


def test_other_organisations_are_refused(site: Mem0Site) -> None:
    acme = site.world.acme
    ours = f"org_id={acme.tenant.id}&project_id=acme"
    assert site.call("GET", f"/v1/entities/?{ours}", acme).status_code == 200
    check_error(site.call("GET", f"/v1/entities/?{ours}", site.world.globex), 403, "not those of this key")
    body = {"messages": "x", "user_id": "u", "org_id": "other"}
    check_error(site.call("POST", "/v1/memories/", acme, json=body), 403, "not those of this key")


def test_limits_apply_with_whole_numbers(site: Mem0Site) -> None:
    globex = site.world.globex
    with tenant_tx(globex.tenant.id):
        set_limits({"requests_per_second": 1, "burst": 2}, by=COMMAND_LINE)
    answers = [site.call("GET", "/v1/ping/", globex) for _ in range(6)]
    refused = next(one for one in answers if one.status_code == 429)
    check_error(refused, 429, "limit")
    for header in ("Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
        assert int(refused.headers[header]) >= 0
    assert int(answers[0].headers["X-RateLimit-Limit"]) == 2
