"""Another tenant, and another person's key, with Ada's ids, for every tool and resource. Rows: D7, T1. Matrix: 3."""

import re
from typing import Any

import pytest

from memory_platform.compat.mcp.client_request import Profile
from memory_platform.compat.mcp.tool_sets import TOOLS_OF
from memory_platform.kernel.ids import new_id
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import World
from tests.memory_platform.api.wall import Rows, rows_of
from tests.memory_platform.compat.mcp.conftest import Desk, bind_key
from tests.memory_platform.compat.mcp.wire import MODERN, frame, post, send

pytestmark = pytest.mark.whole

CANARY = "kestrel4711"
OF_THE_KEY = {"api_key", "audit_record", "usage_day"}
_CHANGES = re.compile(r"nonce=[^>]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z")


@pytest.fixture(scope="module")
def memory_ids(server: str, shared_world: World) -> list[str]:
    """Ids of what Ada has: a note and a memory by mem0's tools."""
    desk = Desk(server, bind_key(shared_world.acme, "ada"))
    desk.ask("save_preference", category="drinks", key="tea", value=CANARY, provenance="confirmed_by_user")
    desk.ask("save_tag", label="家", address=CANARY)
    note = desk.ask("remember", text=f"I keep a {CANARY} in the barn")["note"]["id"]
    mem0 = Desk(f"{server}?profile=mem0", desk.token)
    memory = mem0.ask_text("add_memory", text=f"My boat is called {CANARY}")["results"][0]["id"]
    return [note, memory]


def arguments_of(name: str, memory_id: str) -> dict[str, Any]:
    """Return arguments with which a tool would show or change Ada's memory."""
    query = {"query": "Is there a kestrel in the barn?"}
    known: dict[str, dict[str, Any]] = {
        "memory_context": query,
        "recall": query,
        "search": query,
        "search_memories": query,
        "save_preference": {"category": "drinks", "key": "tea", "value": "milk"},
        "save_tag": {"label": "家", "address": "x"},
        "save_profile_fact": {"field": "name", "value": "x"},
        "save_relationship": {"person": "Ruth", "relation": "aunt"},
        "forget": {"kind": "memory", "memory_id": memory_id},
        "remember": {"text": "I whistle"},
        "change_note": {"note_id": memory_id, "text": "x"},
        "fetch": {"id": memory_id},
        "add_memory": {"text": "I whistle"},
        "get_memory": {"memory_id": memory_id},
        "update_memory": {"memory_id": memory_id, "text": "x"},
        "delete_memory": {"memory_id": memory_id},
        "get_event_status": {"event_id": memory_id},
    }
    return known.get(name, {})


@pytest.fixture(scope="module")
def before(shared_world: World, memory_ids: list[str]) -> Rows:
    """What acme holds before anybody tries."""
    return kept_rows(shared_world)


def kept_rows(world: World) -> Rows:
    return {table: rows for table, rows in rows_of(world.acme.tenant.id).items() if table not in OF_THE_KEY}


TOOLS: list[tuple[Profile, str]] = [(profile, name) for profile in TOOLS_OF for name in TOOLS_OF[profile]]
# With the id of a note, and for tools that take an id also with that of a memory.
ALL_CALLS = [(tool, 0) for tool in TOOLS] + [(tool, 1) for tool in TOOLS if "ID" in str(arguments_of(tool[1], "ID"))]


@pytest.mark.parametrize(("tool", "which"), ALL_CALLS, ids=str)
def test_another_tenant_s_ids_are_those_of_nobody(
    server: str, shared_world: World, memory_ids: list[str], before: Rows, tool: tuple[Profile, str], which: int
) -> None:
    profile, name = tool
    said = []
    for memory_id in (memory_ids[which], str(new_id())):
        subject = f"twin-{new_id()}"
        desk = Desk(f"{server}?profile={profile}&subject={subject}", shared_world.globex.token)
        answer = send(desk, "tools/call", {"name": name, "arguments": arguments_of(name, memory_id)}, MODERN)
        assert CANARY not in answer.text
        said.append(_CHANGES.sub("", answer.text.replace(subject, "twin")))
    assert said[0] == said[1]
    if TOOLS_OF[profile][name].tool.effect != "reads":
        assert kept_rows(shared_world) == before


@pytest.mark.parametrize("address", ["memory://profile", "memory://notes", "memory://notes/{id}"])
def test_resources_show_the_own_person_alone(
    server: str, shared_world: World, memory_ids: list[str], address: str
) -> None:
    globex = Desk(f"{server}?subject=ada", shared_world.globex.token)
    gus = Desk(server, bind_key(shared_world.acme, "gus"))
    own = Desk(server, bind_key(shared_world.acme, "ada"))
    uri = address.replace("{id}", memory_ids[0])
    for desk in (globex, gus):
        assert CANARY not in send(desk, "resources/read", {"uri": uri}, MODERN).text
    assert CANARY in send(own, "resources/read", {"uri": uri}, MODERN).text


def test_a_key_of_one_person_cannot_be_turned_to_another(
    server: str, shared_world: World, memory_ids: list[str]
) -> None:
    token, before = bind_key(shared_world.acme, "gus"), kept_rows(shared_world)
    for asked, headers in (("?subject=ada", {}), ("", {"X-Memory-Subject": "ada"})):
        for name in ("get_profile", "list_notes"):
            desk = Desk(f"{server}{asked}", token)
            answer = send_with(desk, name, headers)
            assert answer.status_code == 404
            assert answer.json()["detail"] == "No subject with this id."
            nobody = send_with(
                Desk(f"{server}{asked.replace('ada', 'nobody')}", token), name, dict.fromkeys(headers, "nobody")
            )
            assert (nobody.status_code, nobody.json()["detail"]) == (answer.status_code, answer.json()["detail"])
    assert kept_rows(shared_world) == before


def send_with(desk: Desk, name: str, headers: dict[str, str]) -> Any:
    sent, body = frame("tools/call", {"name": name, "arguments": {}}, MODERN)
    return post(desk, body, **sent, **headers)


def test_a_key_of_the_whole_tenant_names_whom_it_is_for(
    server: str, shared_world: World, memory_ids: list[str]
) -> None:
    token = shared_world.acme.token
    assert "This connection names no person." in Desk(server, token).fail("get_profile")
    assert CANARY in str(Desk(f"{server}?subject=ada", token).ask("list_notes"))
    assert CANARY in str(Desk(server, token, headers={"X-Memory-Subject": "ada"}).ask("list_notes"))
    assert "No subject with this id." in Desk(f"{server}?subject=nobody", token).fail("list_notes")


def test_a_key_that_may_only_read_writes_nothing(server: str, shared_world: World) -> None:
    with tenant_tx(shared_world.acme.tenant.id):
        token = create_key(name="reader", scopes=["memory:read"], by=COMMAND_LINE, bound_subject="ada").token
    desk = Desk(server, token)
    assert desk.ask("recall", query="tea")["verdict"] == "recalled"
    for name in ("remember", "save_preference", "forget"):
        assert "memory:write" in desk.fail(name, **arguments_of(name, str(new_id())))
