"""Lives of items, and what leaves with a subject: erased, exported, brought back. Rows: C6, D8, E6, E8, P11."""

from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from snapshots.lifecycle.retention.purge import forecast_purge, preview_purge, purge_tenant
from snapshots.models import AgentThread, StoreItem, ThreadTombstone
from snapshots.store_items.batches import run_batch
from snapshots.store_items.store_operations import FoundItem, GetItem, PutItem, SearchItems
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.compat.langgraph.calls import (
    AgentIds,
    answer_of,
    call,
    make_checkpoint,
    make_put,
    make_writes,
)
from tests.snapshots.portability.exporting import export, take_back

ADAS = AgentIds()


def fill(world: World) -> None:
    for path, body in (
        ("threads/put", make_checkpoint(ADAS, "tea", subject_id="ada")),
        ("threads/put-writes", make_writes(ADAS, "tea")),
        ("store/batch", {"ops": [make_put(ADAS, "tea", subject_id="ada")]}),
    ):
        answer_of(call(world.acme, path, body))


def test_an_ended_item_is_not_read_and_then_purged(world: World) -> None:
    tenant = world.acme.tenant.id
    run_batch(tenant, [PutItem(("a",), "k", "{}", ttl_minutes=5.0), PutItem(("a",), "long", "{}")])
    with tenant_tx(tenant):
        StoreItem.objects.filter(key="k").update(expires_at=Now() - timedelta(seconds=1))
        assert preview_purge()["ended_items"] == 1
    ended: Any
    found: Any
    ended, found = run_batch(tenant, [GetItem(("a",), "k"), SearchItems(())])
    assert ended is None
    assert [one.key for one in found] == ["long"]
    purge_tenant(tenant)
    with tenant_tx(tenant):
        assert list(StoreItem.objects.values_list("key", flat=True)) == ["long"]


def test_an_item_that_begins_anew_is_a_new_one(world: World) -> None:
    tenant = world.acme.tenant.id
    run_batch(tenant, [PutItem(("a",), "k", "{}", ttl_minutes=5.0)])
    with tenant_tx(tenant):
        StoreItem.objects.update(expires_at=Now() - timedelta(1), created_at=Now() - timedelta(2))
    run_batch(tenant, [PutItem(("a",), "k", '{"n": 1}')])
    (item,) = run_batch(tenant, [GetItem(("a",), "k")])
    assert isinstance(item, FoundItem)
    assert (item.created_at, item.value) == (item.updated_at, '{"n": 1}')


def test_idle_threads_and_old_tombstones_are_purged(world: World) -> None:
    fill(world)
    call(world.acme, "threads/delete", {"thread_ids": ["another"]})
    with tenant_tx(world.acme.tenant.id):
        AgentThread.objects.update(updated_at=Now() - timedelta(days=364))
        ThreadTombstone.objects.update(created_at=Now() - timedelta(days=31))
        counted = preview_purge()
        assert (counted["threads"], counted["thread_tombstones"]) == (0, 1)
        assert forecast_purge(2)["threads"] == [0, 1, 0]
        AgentThread.objects.update(updated_at=Now() - timedelta(days=366))
    purge_tenant(world.acme.tenant.id)
    with tenant_tx(world.acme.tenant.id):
        assert not AgentThread.objects.exists()
        assert not ThreadTombstone.objects.exists()


def test_an_erased_subject_leaves_nothing_and_an_export_brings_it_back(world: World) -> None:
    fill(world)
    acme = Caller(world.acme)
    before = export(acme)
    kinds = {"agent_thread", "checkpoint", "channel_value", "pending_write", "store_item"}
    assert kinds <= {line["type"] for line in before}

    assert acme("DELETE", "/v1/subjects/ada").status_code == 200

    with tenant_tx(world.acme.tenant.id):
        assert not AgentThread.objects.exists()
        assert not StoreItem.objects.exists()
    assert answer_of(call(world.acme, "threads/get", {"thread_id": ADAS.thread}))["checkpoints"] == []

    job = take_back(acme, before)

    assert (job["status"], job["error"]) == ("succeeded", None)
    after = [line for line in export(acme) if line["type"] in kinds]
    assert [line["type"] for line in after] == [line["type"] for line in before if line["type"] in kinds]
    found = answer_of(call(world.acme, "threads/get", {"thread_id": ADAS.thread}))
    assert found["values"] == [["msgpack", b"tea"]]
    assert found["checkpoints"][0]["writes"] == [["task", "said", "msgpack", b"tea"]]


def test_what_is_about_nobody_stays_when_a_subject_goes(world: World) -> None:
    fill(world)
    other = AgentIds("free", "1f0-1", "", "free", "free")
    answer_of(call(world.acme, "threads/put", make_checkpoint(other)))
    answer_of(call(world.acme, "store/batch", {"ops": [make_put(other)]}))
    Caller(world.acme)("DELETE", "/v1/subjects/ada")
    with tenant_tx(world.acme.tenant.id):
        assert AgentThread.objects.get().external_id == "free"
        assert StoreItem.objects.get().key == "free"
