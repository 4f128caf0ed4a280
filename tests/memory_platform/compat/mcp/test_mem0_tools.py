"""mem0's eleven tools, by its names and arguments. Rows: D7."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.compat.mcp.conftest import Desk, bind_key
from tests.memory_platform.compat.mcp.wire import result_of, send

# Names and arguments of mem0's hosted server (docs of November 2026); those with an asterisk are required.
ARGUMENTS = {
    "add_memory": "text* messages user_id agent_id app_id run_id metadata enable_graph",
    "search_memories": "query* filters limit enable_graph",
    "get_memories": "filters page page_size",
    "get_memory": "memory_id*",
    "update_memory": "memory_id* text*",
    "delete_memory": "memory_id*",
    "delete_all_memories": "user_id agent_id app_id run_id",
    "delete_entities": "user_id agent_id app_id run_id",
    "list_entities": "",
    "list_events": "",
    "get_event_status": "event_id*",
}


@pytest.fixture(scope="module")
def alex(server: str, shared_world: World) -> Desk:
    return Desk(f"{server}?profile=mem0", bind_key(shared_world.acme, "alex"))


@pytest.fixture(scope="module")
def tenant(server: str, shared_world: World) -> Desk:
    """The key of the whole tenant: an argument names the user."""
    return Desk(f"{server}?profile=mem0", shared_world.globex.token)


def test_names_and_arguments_are_mem0s(alex: Desk) -> None:
    listed = {one.name: one.input_schema for one in alex.run(lambda client: client.list_tools()).tools}
    assert list(listed) == [*ARGUMENTS, "search", "fetch"]
    for name, told in ARGUMENTS.items():
        wanted = told.split()
        assert list(listed[name]["properties"]) == [one.rstrip("*") for one in wanted], name
        assert listed[name]["required"] == [one.rstrip("*") for one in wanted if one.endswith("*")], name


def test_a_memory_is_added_word_for_word_found_changed_and_deleted(alex: Desk) -> None:
    text = "I ride a red tandem on Sundays"
    (added,) = alex.ask_text("add_memory", text=text, metadata={"via": "watch"}, agent_id="coach")["results"]
    assert (added["memory"], added["event"]) == (text, "ADD")
    (again,) = alex.ask_text("add_memory", text=text)["results"]
    assert (again["id"], again["event"]) == (added["id"], "NONE")
    found = alex.ask_text("search_memories", query="What do I ride on Sundays?", limit=3)["results"]
    assert found[0]["memory"] == text
    assert found[0].keys() >= {"id", "memory", "user_id", "score", "metadata", "categories", "created_at"}
    assert found[0]["metadata"] == {"via": "watch", "agent_id": "coach"}
    assert alex.ask_text("get_memory", memory_id=added["id"])["memory"] == text
    listed = alex.ask_text("get_memories", filters={"AND": [{"user_id": "alex"}]}, page=1, page_size=5)
    assert [one["id"] for one in listed["results"]] == [added["id"]]
    assert alex.ask_text("get_memories", page=2, page_size=5)["results"] == []
    changed = alex.ask_text("update_memory", memory_id=added["id"], text="I ride a blue tandem")["results"][0]
    assert changed["memory"] == "I ride a blue tandem"
    alex.ask_text("delete_memory", memory_id=changed["id"])
    assert "No memory with this id." in alex.fail("get_memory", memory_id=changed["id"])


@pytest.mark.slow
def test_messages_are_learned_from_by_a_worker(alex: Desk) -> None:
    said = [{"role": "user", "content": "I moved to Ghent"}, {"role": "assistant", "content": "Lovely."}]
    events = alex.ask_text("add_memory", text="-", messages=said, run_id="run1")["results"]
    assert [one["status"] for one in events] == ["PENDING", "PENDING"]
    assert alex.ask_text("get_event_status", event_id=events[0]["event_id"])["status"] == "PENDING"
    assert alex.ask_text("list_events")["pending"] > 0
    wrong = alex.fail("add_memory", text="-", messages=[{"role": "robot", "content": "x"}])
    assert "messages.0.role" in wrong


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_memory", {"text": "x", "user_id": "ada"}),
        ("search_memories", {"query": "x", "filters": {"user_id": "ada"}}),
        ("get_memories", {"filters": {"AND": [{"user_id": "ada"}]}}),
        ("delete_all_memories", {"user_id": "ada"}),
        ("delete_entities", {"user_id": "ada"}),
    ],
)
def test_an_argument_cannot_name_another_user(alex: Desk, name: str, arguments: dict[str, Any]) -> None:
    assert "This connection is for one person, and the argument names another." in alex.fail(name, **arguments)


def test_with_a_key_of_the_whole_tenant_an_argument_names_the_user(tenant: Desk, server: str) -> None:
    assert "names no person" in tenant.fail("add_memory", text="x")
    for user in ("uma", "uli"):
        tenant.ask_text("add_memory", text=f"{user} paints gates", user_id=user)
    found = tenant.ask_text("get_memories", filters={"user_id": "uma"})["results"]
    assert [(one["memory"], one["user_id"]) for one in found] == [("uma paints gates", "uma")]
    assert "Must name one user" in tenant.fail("get_memories", filters={"AND": [{"user_id": "a"}, {"user_id": "b"}]})
    users = tenant.ask_text("list_entities")
    assert {"uma", "uli", "gil"} == {one["id"] for one in users["results"]}
    named = Desk(f"{server}?profile=mem0&subject=uli", tenant.token)
    assert "names another" in named.fail("add_memory", text="x", user_id="uma")
    assert [one["id"] for one in named.ask_text("list_entities")["results"]] == ["uli"]


def test_deleting_all_erases_the_user_and_ends_the_user_s_key(server: str, shared_world: World) -> None:
    desk = Desk(f"{server}?profile=mem0", bind_key(shared_world.acme, "tom"))
    desk.ask_text("add_memory", text="I collect maps")
    answer = send(desk, "tools/call", {"name": "delete_all_memories", "arguments": {}})
    assert "deleted" in result_of(answer)["content"][0]["text"]
    assert send(desk, "tools/list").status_code == 401
    whole = Desk(f"{server}?profile=mem0&subject=tom", shared_world.acme.token)
    assert "No subject with this id." in whole.fail("get_memories")
    assert "tom" not in [
        one["id"] for one in Desk(f"{server}?profile=mem0", whole.token).ask_text("list_entities")["results"]
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("add_memory", {}, "arguments.text: This field is required."),
        ("add_memory", {"text": "x", "metadata": []}, "arguments.metadata: Must be a JSON object."),
        ("add_memory", {"text": "x", "messages": "hello"}, "arguments.messages: Must be a list."),
        ("search_memories", {"query": "x", "limit": 0}, "arguments.limit"),
        ("get_memories", {"page": 2_000, "page_size": 200}, "arguments.page"),
        ("get_memory", {"memory_id": ""}, "arguments.memory_id"),
        ("update_memory", {"memory_id": "a/../b", "text": "x"}, "No memory with this id."),
    ],
)
def test_bad_arguments_are_named(alex: Desk, name: str, arguments: dict[str, Any], said: str) -> None:
    assert said in alex.fail(name, **arguments)
