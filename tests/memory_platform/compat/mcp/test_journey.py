"""What comes in by this door is everywhere that other memory is, and leaves with it. Rows: D7, E8, T7, X4."""

import httpx
import orjson
from mcp.client.client import Client
from mcp_types import TextResourceContents

from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tenants.services.keys import authenticate_key
from tests.conftest import World
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.compat.mcp.conftest import Desk, bind_key
from tests.memory_platform.console.conftest import log_in

CANARY = "kestrel4711"
NOTE = f"I am allergic to peanuts and {CANARY} seeds"


def test_from_the_first_note_to_the_last_trace(server: str, shared_world: World) -> None:
    house = shared_world.acme
    desk = Desk(server, bind_key(house, "wren"))
    key_id = authenticate_key(desk.token).key_id
    desk.ask("remember", text=NOTE)
    desk.ask("save_preference", category="food", key="dislikes", value=f"{CANARY} stew")
    made = desk.ask("memory_context", query="Any snack ideas?")
    gone = desk.ask("remember", text="I fear geese")["note"]["id"]
    desk.ask("forget", kind="memory", memory_id=gone)

    def read(path: str) -> httpx.Response:
        return httpx.get(f"{server.removesuffix('/mcp')}/v1{path}", headers=house.headers)

    assert [one["text"] for one in read("/subjects/wren/notes").json()["data"]] == [NOTE]
    receipt = read(f"/receipts/{made['receipt_id']}").json()
    assert receipt["query"] == "Any snack ideas?"
    assert [one["decision_reason"] for one in receipt["candidates"] if one["kind"] == "note"] == ["kept"]
    exported = read("/subjects/wren/export").text
    assert exported.count(NOTE) >= 1
    assert f"{CANARY} stew" in exported
    with tenant_tx(house.tenant.id):
        subject = Subject.objects.get(external_id="wren")
        erased = AuditRecord.objects.get(action="memory.erased", actor_id=key_id)
        assert erased.object_kind == "erasure"
    mia = log_in("mia", tenant=house.tenant, role=Role.MANAGER)
    page = mia.get(f"/console/profiles/subject/{subject.pk}/change/").content.decode()
    assert NOTE in page
    assert f"{CANARY} stew" in page

    httpx.delete(f"{server.removesuffix('/mcp')}/v1/subjects/wren", headers=house.headers)
    left = rows_of(house.tenant.id)
    assert [table for table, rows in left.items() if CANARY in "".join(rows) or "wren" in "".join(rows)] == []
    assert httpx.post(desk.url, headers={"Authorization": f"Bearer {desk.token}"}).status_code == 401


def test_resources_and_the_prompt_show_the_same(server: str, shared_world: World) -> None:
    desk = Desk(server, bind_key(shared_world.acme, "robin"))
    note = desk.ask("remember", text="I am allergic to peanuts")["note"]

    async def use(client: Client) -> list[str]:
        names = [str(one.uri) for one in (await client.list_resources()).resources]
        (template,) = (await client.list_resource_templates()).resource_templates
        read = [(await client.read_resource(name)).contents[0] for name in names]
        address = template.uri_template.replace("{id}", note["id"])
        read.append((await client.read_resource(address)).contents[0])
        (prompt,) = (await client.list_prompts()).prompts
        shown = await client.get_prompt(prompt.name, {"query": "Any snack ideas?"})
        said = shown.messages[0].content
        assert said.type == "text"
        return [*names, *(one.text for one in read if isinstance(one, TextResourceContents)), said.text]

    profile, notes, profile_text, notes_text, one, prompt = desk.run(use)
    assert (profile, notes) == ("memory://profile", "memory://notes")
    assert orjson.loads(profile_text).keys() == {"profile", "preferences", "tags"}
    assert [item["text"] for item in orjson.loads(notes_text)["notes"]] == ["I am allergic to peanuts"]
    assert orjson.loads(one)["id"] == note["id"]
    assert "peanuts" in prompt
    assert "<user_memory" in prompt
