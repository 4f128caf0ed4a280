"""The door of agents' sessions: other tenants, scopes, bound keys, repeats, learning once, taking words back.
Rows: D9, T1, T2, E6."""

from typing import Any

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client

from memory_platform.compat.openai.sessions.item_conversion import make_message
from profiles.models import Erasure, Preference
from snapshots.forgetting.hide_targets import hide_targets
from snapshots.forgetting.order_targets import ForgetTargets
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import drain_work_job
from snapshots.models import AGENTS_ITEM, Message, Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import HANDLER, House, World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.forgetting.talk import tell
from tests.snapshots.portability.exporting import export, take_back

CANARY = "kestrel4711"
HALL = "/compat/openai/sessions"
NUTS = {"role": "user", "content": f"I am allergic to peanuts {CANARY}."}
CALL = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
LOOK = {"name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": f"a {CANARY}"}


def ask(token: str | None, method: str, path: str, body: Any = None, key: str = "") -> HttpResponse:
    client = Client()
    client.handler = HANDLER
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Idempotency-Key": key} if key else {}
    content = b"" if body is None else orjson.dumps(body)
    return client.generic(  # type: ignore[return-value]
        method, path, content, content_type="application/json" if body is not None else "", headers=headers
    )


def name_items(*items: Any, first: int = 1) -> dict[str, Any]:
    named = enumerate(items, first)
    return {"items": [{"id": f"i{number}", "item": orjson.dumps(item).decode()} for number, item in named]}


def add(house: House, *items: Any, first: int = 1, place: str = "ada/talk") -> None:
    answer = ask(house.token, "POST", f"{HALL}/{place}/items", name_items(*items, first=first))
    assert answer.status_code == 202, answer.content


def read_items(house: House, place: str = "ada/talk", query: str = "") -> list[Any]:
    answer = ask(house.token, "GET", f"{HALL}/{place}/items{query}")
    assert answer.status_code == 200, answer.content
    return [orjson.loads(item) for item in orjson.loads(answer.content)["items"]]


def pop(house: House, place: str = "ada/talk") -> Any:
    answer = ask(house.token, "POST", f"{HALL}/{place}/items/pop")
    assert answer.status_code == 200, answer.content
    item = orjson.loads(answer.content)["item"]
    return None if item is None else orjson.loads(item)


def learn(house: House) -> None:
    drain_work_job(tenant_id=str(house.tenant.id))


def list_memories(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return sorted(f"{one.kind}: {one.text}" for one in Snapshot.objects.all())


def test_another_tenant_gets_what_it_gets_for_ids_that_nobody_has(world: World) -> None:
    add(world.acme, NUTS, CALL, OUTPUT)
    before = rows_of(world.acme.tenant.id)
    calls: list[tuple[str, str, Any]] = [
        ("GET", "items", None), ("GET", "items?limit=1", None), ("POST", "items/pop", None), ("POST", "items/pop", {}),
        ("POST", "items", name_items({"role": "user", "content": "tea"})),
    ]  # fmt: skip
    for method, path, body in calls:
        theirs, nobodys = (ask(world.globex.token, method, f"{HALL}/{who}/talk/{path}", body) for who in ("ada", "ida"))
        assert CANARY.encode() not in theirs.content
        assert (theirs.status_code, theirs.content) == (nobodys.status_code, nobodys.content)
    assert rows_of(world.acme.tenant.id) == before


def test_scopes_and_bound_keys(world: World) -> None:
    def make_token(*scopes: str, subject: str = "") -> str:
        with tenant_tx(world.acme.tenant.id):
            return create_key(name="k", scopes=list(scopes), bound_subject=subject, by=COMMAND_LINE).token

    reader, writer = make_token("memory:read"), make_token("memory:write")
    path, body = f"{HALL}/ada/talk/items", name_items(NUTS)
    assert [ask(token, "GET", path).status_code for token in (None, reader, writer)] == [401, 200, 403]
    assert [ask(token, "POST", path, body).status_code for token in (None, reader, writer)] == [401, 403, 202]
    assert [ask(token, "POST", f"{path}/pop").status_code for token in (None, reader, writer)] == [401, 403, 200]
    bound = make_token("memory:read", "memory:write", subject="ada")
    assert ask(bound, "GET", path).status_code == 200
    answers = [ask(bound, "GET", f"{HALL}/{who}/talk/items").status_code for who in ("bob", "nobody-9")]
    assert answers == [404, 404]


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"[]", b"{}", b'{"items": []}', b'{"items": [{"id": "a", "item": {}}]}', b'{"items": [{"item": "{}"}]}',
        b'{"items": [{"id": "a", "item": "[]"}]}', b'{"items": [{"id": "a", "item": "nothing"}]}',
        b'{"items": [{"id": "", "item": "{}"}]}', b'{"items": [{"id": "a", "item": "{}", "tenant_id": "x"}]}',
        orjson.dumps({"items": [{"id": "a", "item": "[" * 100_000}]}),
    ],
)  # fmt: skip
def test_a_hostile_body_is_400(world: World, body: bytes) -> None:
    client = Client()
    client.handler = HANDLER
    answer = client.post(f"{HALL}/ada/talk/items", body, content_type="application/json", headers=world.acme.headers)
    assert answer.status_code == 400, answer.content
    assert ask(world.acme.token, "GET", f"{HALL}/ada/talk/items?limit=51").status_code == 400


def test_an_item_is_stored_and_learned_once(world: World) -> None:
    for _ in "12":
        add(world.acme, NUTS, CALL, OUTPUT)
    assert read_items(world.acme) == [OUTPUT, CALL, NUTS]
    learn(world.acme)
    once = list_memories(world.acme)
    assert [one for one in once if one.startswith("note: ")]
    add(world.acme, NUTS, CALL, OUTPUT)
    learn(world.acme)
    assert list_memories(world.acme) == once
    assert not any(CANARY in one and "peanuts" not in one for one in once)  # nothing of what a tool says


def test_a_conversation_that_was_begun_elsewhere_goes_on_as_a_session(world: World) -> None:
    said = [
        {"role": "user", "content": "Which sea is it?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c9", "type": "function", "function": LOOK}]},
        {"role": "tool", "tool_call_id": "c9", "content": "North"},
        {"role": "assistant", "content": "The North Sea."},
    ]  # fmt: skip
    Caller(world.acme)("POST", "/v1/subjects/ada/conversations/talk/messages", {"messages": said})
    assert read_items(world.acme)[::-1] == [
        {"role": "user", "content": "Which sea is it?"},
        {"type": "function_call", "call_id": "c9", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c9", "output": "North"},
        {"role": "assistant", "content": "The North Sea."},
    ]


def test_popping_takes_the_words_and_what_they_taught(world: World) -> None:
    caller = Caller(world.acme)
    add(world.acme, {"role": "user", "content": "My sister is called Ruth."}, place="ada/before")
    add(world.acme, {"role": "user", "content": "My sister is called Ruth."}, NUTS)
    learn(world.acme)
    asked = {"query": f"What about {CANARY}?", "conversation_id": "talk"}
    caller("POST", "/v1/subjects/ada/context", asked)
    assert any(CANARY in one for one in list_memories(world.acme))
    assert pop(world.acme) == NUTS
    assert not any(CANARY in one for one in list_memories(world.acme))
    assert b"peanuts" not in caller("GET", "/v1/subjects/ada/conversations/talk/messages").content
    with tenant_tx(world.acme.tenant.id):
        assert not any("nut" in str(one.value) for one in Preference.objects.all())
        assert not Receipt.objects.filter(rendered__isnull=False).exists()
        assert Erasure.objects.get().erased["message"] == 1
    # What another conversation says, too, stays.
    assert pop(world.acme)["content"] == "My sister is called Ruth."
    assert any("Ruth" in one for one in list_memories(world.acme))
    assert pop(world.acme) is None
    assert pop(world.acme, "ada/before")["content"] == "My sister is called Ruth."
    assert not any("Ruth" in one for one in list_memories(world.acme))


def test_words_that_were_popped_may_be_said_again(world: World) -> None:
    add(world.acme, NUTS)
    assert pop(world.acme) == NUTS  # before a worker has read it
    learn(world.acme)
    assert list_memories(world.acme) == []
    add(world.acme, NUTS)  # the same id: it was taken back
    assert read_items(world.acme) == []
    add(world.acme, NUTS, first=2)
    learn(world.acme)
    assert any(CANARY in one for one in list_memories(world.acme))


def test_clearing_takes_everything(world: World) -> None:
    add(world.acme, NUTS, CALL, OUTPUT)
    learn(world.acme)
    assert ask(world.acme.token, "DELETE", "/v1/subjects/ada/conversations/talk").status_code == 204
    assert read_items(world.acme) == list_memories(world.acme) == []
    assert CANARY not in str(rows_of(world.acme.tenant.id))


def test_an_order_to_forget_takes_the_item_along(world: World) -> None:
    add(world.acme, NUTS)
    learn(world.acme)
    order = {"role": "user", "content": "Forget what I told you about peanuts."}
    add(world.acme, order, first=2)
    assert NUTS not in read_items(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert not any(CANARY in str(one.metadata.get(AGENTS_ITEM)) for one in Message.objects.all())


def test_an_item_that_loses_a_part_comes_back_as_its_rest(world: World) -> None:
    add(world.acme, {"role": "user", "content": f"I like jazz. I work at {CANARY}."})
    with tenant_tx(world.acme.tenant.id):
        said = Message.objects.get()
        order = tell(said.conversation, "Forget where I work.")
        hide_targets(world.acme.subject, order, 0, ForgetTargets({said.id: [(13, len(said.content))]}))
    assert read_items(world.acme)[1] == {"role": "user", "content": "I like jazz."}
    with tenant_tx(world.acme.tenant.id):
        assert Message.objects.get(id=said.id).metadata == {}


def test_items_are_exported_and_come_back_exactly(world: World) -> None:
    caller = Caller(world.acme)
    add(world.acme, NUTS, CALL, OUTPUT)
    lines = export(caller)
    caller("DELETE", "/v1/subjects/ada")
    assert read_items(world.acme) == []
    assert take_back(caller, lines)["status"] == "succeeded"
    assert read_items(world.acme) == [OUTPUT, CALL, NUTS]


def test_pages_go_back_from_the_newest(world: World) -> None:
    items = [{"role": "assistant", "content": str(number)} for number in range(5)]
    add(world.acme, *items)
    first = orjson.loads(ask(world.acme.token, "GET", f"{HALL}/ada/talk/items?limit=3").content)
    assert [orjson.loads(one)["content"] for one in first["items"]] == ["4", "3", "2"]
    rest = read_items(world.acme, query=f"?limit=3&cursor={first['next_cursor']}")
    assert [one["content"] for one in rest] == ["1", "0"]


def test_an_items_text_that_is_too_long_teaches_nothing() -> None:
    long = orjson.dumps({"role": "user", "content": "tea " * 20_000}).decode()
    assert make_message("a", long) == IncomingMessage(
        role="assistant", message_id="a", metadata={AGENTS_ITEM: long}, remember=False
    )
