"""One tenant's key with another tenant's ids, on every address of mem0's clients. Rows: D3, T1, T2."""

import re
from dataclasses import fields
from typing import Any

import httpx
import pytest

from memory_platform.kernel.ids import new_id
from tests.conftest import House
from tests.memory_platform.api.wall import Rows, rows_of
from tests.memory_platform.compat.mem0.calls_of_clients import CALLS, CANARY, Mem0Call, Mem0Ids
from tests.memory_platform.compat.mem0.conftest import Mem0Site

MADE_ANEW = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+]00:00)")


@pytest.fixture(scope="module")
def of_acme(site: Mem0Site) -> Mem0Ids:
    """Ids of what acme holds, learned and posted by this door."""
    house = site.world.acme
    scopes = {"user_id": "ada", "agent_id": "planner", "app_id": "desk", "run_id": "run-1"}
    said = {"messages": f"I am allergic to {CANARY} nuts.", **scopes}
    learned = site.settle(site.call("POST", "/v3/memories/add/", house, json=said).json(), house)
    kept = {"messages": f"{CANARY} tea", "agent_id": "planner", "infer": False}
    assert site.call("POST", "/v3/memories/add/", house, json=kept).status_code == 200
    export = site.call("POST", "/v1/exports/", house, json={"schema": "{}", "filters": {"user_id": "ada"}})
    memory, event = learned["results"][0]["id"], learned["event_id"]
    return Mem0Ids("ada", "planner", "desk", "run-1", memory, event, export.json()["id"], str(house.tenant.id), "acme")


@pytest.fixture(scope="module")
def acme_rows(site: Mem0Site, of_acme: Mem0Ids) -> Rows:
    rows = rows_of(site.world.acme.tenant.id)
    assert CANARY in "".join(rows["snapshot"])
    return rows


def of_nobody() -> Mem0Ids:
    """Return ids that no row has."""
    made = {name.name: str(new_id()) for name in fields(Mem0Ids)}
    return Mem0Ids(**{**made, "user": "ida", "agent": "plotter", "app": "dock", "run": "run-9", "project": "acne"})


def comparable(answer: httpx.Response, ids: Mem0Ids) -> tuple[int, str]:
    """Return status and text of an answer without ids, and without what is made anew with each call."""
    text = answer.text
    for name in fields(Mem0Ids):
        text = re.sub(rf"\b{re.escape(getattr(ids, name.name))}\b", f"<{name.name}>", text)
    return answer.status_code, MADE_ANEW.sub("<made>", text)


def name_of(call: Mem0Call) -> str:
    return f"{call.method} {call.path(Mem0Ids(*(f'({field.name})' for field in fields(Mem0Ids))))}"


def send(site: Mem0Site, house: House | None, call: Mem0Call, ids: Mem0Ids) -> httpx.Response:
    return site.call(call.method, call.path(ids), house, json=call.body(ids))


def test_another_tenant_s_ids_answer_like_ids_that_nobody_has(
    site: Mem0Site, of_acme: Mem0Ids, acme_rows: Rows
) -> None:
    nobody, globex = of_nobody(), site.world.globex
    told_apart: dict[str, Any] = {}
    for call in CALLS:
        foreign, unknown = send(site, globex, call, of_acme), send(site, globex, call, nobody)
        assert CANARY not in foreign.text, name_of(call)
        assert foreign.headers["Content-Type"] == "application/json", name_of(call)
        assert foreign.status_code < 500, (name_of(call), foreign.text)
        if comparable(foreign, of_acme) != comparable(unknown, nobody):
            told_apart[name_of(call)] = (comparable(foreign, of_acme), comparable(unknown, nobody))
    assert told_apart == {}
    assert rows_of(site.world.acme.tenant.id) == acme_rows


def test_without_a_key_nothing_is_answered(site: Mem0Site, of_acme: Mem0Ids) -> None:
    for call in CALLS:
        answer = send(site, None, call, of_acme)
        assert answer.status_code == 401, name_of(call)
        assert answer.json()["error"] == answer.json()["detail"]
        assert "api_key" in answer.json()["detail"]


@pytest.mark.slow
def test_the_tenant_s_own_ids_are_answered(site: Mem0Site, of_acme: Mem0Ids) -> None:
    """Else the first test would compare two mistakes. Last: it deletes what acme holds."""
    for call in CALLS:
        answer = send(site, site.world.acme, call, of_acme)
        assert answer.status_code in {200, 201, 400, 404}, (name_of(call), answer.text)
        if call.method == "GET" and not ("members" in name_of(call) or "webhooks" in name_of(call)):
            assert answer.status_code == 200, (name_of(call), answer.text)
