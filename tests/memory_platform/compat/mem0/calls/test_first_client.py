"""mem0's own client, version 1.0.11, calls the platform by its older paths. Rows: D3, A1, E8."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.memory_platform.compat.mem0.conftest import Mem0Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def mem0(load_version: Callable[[str], Any]) -> Any:
    return load_version("1.0.11")


@pytest.fixture(scope="module")
def client(mem0: Any, site: Mem0Site) -> Any:
    return mem0.MemoryClient(api_key=site.world.acme.token, host=site.host)


def test_a_life_of_memories(client: Any, site: Mem0Site) -> None:
    told = site.settle(client.add("I am allergic to peanuts.", user_id="ann"), site.world.acme)
    assert [(one["event"], one["memory"]) for one in told["results"]] == [("ADD", "I am allergic to peanuts")]
    memory_id = told["results"][0]["id"]
    assert client.get(memory_id)["memory"] == "I am allergic to peanuts"
    assert [one["id"] for one in client.get_all(user_id="ann")["results"]] == [memory_id]
    assert client.get_all(filters={"user_id": "ann"}, page=1, page_size=10)["count"] == 1
    assert [one["id"] for one in client.search("peanuts", user_id="ann", threshold=0.0)["results"]] == [memory_id]
    assert client.search("peanuts", filters={"user_id": "ann"}, threshold=0.0, top_k=3)["results"][0]["score"] > 0
    assert client.update(memory_id, text="I am allergic to walnuts")["memory"] == "I am allergic to walnuts"
    assert [one["event"] for one in client.history(memory_id)] == ["ADD", "UPDATE"]
    with pytest.raises(TypeError, match="capture_client_event"):  # a slip of this version, after the answer came
        client.feedback(memory_id, "VERY_NEGATIVE")
    client.batch_update([{"memory_id": memory_id, "text": "I am allergic to pecans"}])
    assert client.get_summary(filters={"user_id": "ann"})["summary"] == "- I am allergic to pecans"
    made = client.create_memory_export(schema="{}", user_id="ann")
    assert client.get_memory_export(memory_export_id=made["id"])["count"] == 1
    assert ("user", "ann") in {(one["type"], one["name"]) for one in client.users()["results"]}
    client.batch_delete([{"memory_id": memory_id}])
    assert client.get_all(user_id="ann")["results"] == []
    client.delete_users(user_id="ann")
    assert ("user", "ann") not in {(one["type"], one["name"]) for one in client.users()["results"]}


def test_delete_and_delete_all(client: Any) -> None:
    ids = [client.add(f"Bo has {n} cats", user_id="bo", infer=False)["results"][0]["id"] for n in (2, 3)]
    client.delete(ids[0])
    assert client.delete_all(user_id="bo")["deleted"] == 1
    with pytest.raises(Exception, match="Name at least one of user_id"):
        client.delete_all()


def test_reset_erases_every_entity_of_the_tenant(client: Any, site: Mem0Site) -> None:
    client.add("Cy climbs.", user_id="cy", agent_id="guide", run_id="tour", infer=False)
    client.reset()
    assert client.users()["results"] == []
    gil = site.native("GET", "/v1/subjects/gil", site.world.globex)
    assert gil.status_code == 200


def test_project_and_organisation_are_those_of_the_key(mem0: Any, client: Any, site: Mem0Site) -> None:
    assert client.get_project(fields=["name"]) == {"name": "Acme"}
    assert client.update_project(custom_instructions="Only food.")["not_applied"]
    assert client.project.get()["org_id"] == str(site.world.acme.tenant.id)
    refused = pytest.raises(Exception, match="not those of this key")
    with refused:
        mem0.MemoryClient(api_key=site.world.globex.token, host=site.host, org_id=client.org_id, project_id="acme")


def test_webhooks_are_the_platform_s(client: Any, site: Mem0Site) -> None:
    made = client.create_webhook("https://example.org/hook", "w", "acme", ["memory_add"])
    assert made["secret"].startswith("whsec_")
    client.update_webhook(made["webhook_id"], name="v", event_types=["memory_delete"])
    [shown] = client.get_webhooks("acme")
    assert (shown["name"], shown["event_types"], shown["is_active"]) == ("v", ["memory_delete"], True)
    for call in (
        lambda: client.update_webhook(1, name="v"),
        lambda: client.get_webhooks("globex"),
        lambda: client.create_webhook("https://10.0.0.1/", "w", "acme", ["memory_add"]),
        lambda: client.create_webhook("https://example.org", "w", "acme", ["memory_categorize"]),
    ):
        with pytest.raises(Exception, match=r"webhook|not those of this key|private|Must be"):
            call()  # type: ignore[no-untyped-call]  # of mem0
    client.delete_webhook(made["webhook_id"])
    assert client.get_webhooks("acme") == []


def test_the_asynchronous_client(mem0: Any, site: Mem0Site) -> None:
    async def live() -> None:
        client = mem0.AsyncMemoryClient(api_key=site.world.acme.token, host=site.host)
        told = await client.add("Di dances.", user_id="di", infer=False)
        memory_id = told["results"][0]["id"]
        assert (await client.get(memory_id))["memory"] == "Di dances."
        assert len((await client.get_all(user_id="di"))["results"]) == 1
        assert (await client.search("dances", user_id="di", threshold=0.0))["results"]
        assert (await client.update(memory_id, text="Di sings."))["memory"] == "Di sings."
        assert len(await client.history(memory_id)) == 2
        assert (await client.users())["count"] >= 1
        assert (await client.delete(memory_id))["erasure_id"]
        await client.async_client.aclose()

    asyncio.run(live())
