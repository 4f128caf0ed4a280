"""What pruning keeps and deletes, by hand, by the scheduled job, and what a policy says. Rows: C6, D8, E6."""

from typing import Any
from uuid import UUID

import pytest

from snapshots.models import AgentThread, ChannelValue, Checkpoint, PendingWrite
from snapshots.scheduled_job_registry import CARE
from snapshots.threads.pruning import prune_thread
from snapshots.threads.pruning_job import preview_pruning, prune_tenant
from snapshots.threads.values import EMPTY, CheckpointToStore, PackedValue, Place, WriteToStore
from snapshots.threads.write_checkpoints import store_checkpoint, store_writes
from tenants.isolation import tenant_tx
from tests.conftest import World

THREAD = "thread"


def store(number: int, namespace: str = "", *, value: str | None = "", thread: str = THREAD, **metadata: Any) -> UUID:
    """Store the checkpoint of a number, after the one before; ``value`` None stores a channel without one."""
    name = f"{number:04}"
    packed = PackedValue(EMPTY, b"") if value is None else PackedValue("msgpack", (value or name).encode())
    place = Place(thread, namespace, name)
    parent = f"{number - 1:04}" if number else ""
    one = CheckpointToStore(
        place,
        parent,
        PackedValue("msgpack", b"{}"),
        {"c": name, "same": "1"},
        metadata,
        {"c": name, "same": "1"},
        {"c": packed, "same": PackedValue("msgpack", b"same")},
    )
    row = store_checkpoint(one)
    store_writes(place, ("task", ""), [WriteToStore(0, "c", PackedValue("msgpack", name.encode()))])
    return row


def list_ids(thread: str = THREAD) -> dict[str, list[str]]:
    """Return the ids of checkpoints by namespace."""
    found: dict[str, list[str]] = {}
    rows = Checkpoint.objects.filter(thread__external_id=thread).order_by("namespace", "checkpoint_id")
    for namespace, checkpoint_id in rows.values_list("namespace", "checkpoint_id"):
        found.setdefault(namespace, []).append(checkpoint_id)
    return found


def test_the_newest_stay_with_what_they_need(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        for number in range(6):
            row = store(number)
            store(number, "child")
        assert prune_thread(row, keep=2) == 8
        assert list_ids() == {"": ["0004", "0005"], "child": ["0004", "0005"]}
        values = ChannelValue.objects.filter(namespace="")
        assert set(values.values_list("channel", "version")) == {("c", "0004"), ("c", "0005"), ("same", "1")}
        assert set(PendingWrite.objects.values_list("checkpoint_id", flat=True)) == {"0004", "0005"}
        assert Checkpoint.objects.get(namespace="", checkpoint_id="0004").parent_id == ""
        assert prune_thread(row, keep=2) == 0


def test_a_channel_of_differences_keeps_the_way_to_its_last_value(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        for number in range(8):
            since = number - 3
            counters: dict[str, Any] = {"counters_since_delta_snapshot": {"c": [since, since]}} if since > 0 else {}
            row = store(number, value=None if since > 0 else "", **counters)
        assert prune_thread(row, keep=1) == 3
        assert list_ids() == {"": ["0003", "0004", "0005", "0006", "0007"]}


def test_calls_of_subgraphs_go_with_the_checkpoint_that_they_belong_to(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        for number in range(3):
            row = store(number)
            store(number, f"node:{number}", parents={"": f"{number:04}"})
        store(1, "node:early", parents={"": "0009"})
        store(0, "node", parents={"": "0000"})
        prune_thread(row, keep=1)
        assert list_ids() == {"": ["0002"], "node": ["0000"], "node:2": ["0002"], "node:early": ["0001"]}


def test_a_write_that_comes_before_its_checkpoint_stays(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        for number in range(3):
            row = store(number)
        store_writes(Place(THREAD, "", "0003"), ("task", ""), [WriteToStore(0, "c", PackedValue("msgpack", b"early"))])
        prune_thread(row, keep=1)
        assert set(PendingWrite.objects.values_list("checkpoint_id", flat=True)) == {"0002", "0003"}


@pytest.mark.parametrize("runs", [1, 2])
def test_the_job_does_what_its_preview_says(world: World, runs: int) -> None:
    with tenant_tx(world.acme.tenant.id):
        for number in range(5):
            store(number)
            store(number, thread="short" if number < 2 else "long")
        preview = preview_pruning(2)
    assert preview.counts == {"threads": 2, "checkpoints": 4}
    done = [prune_tenant(world.acme.tenant.id, keep=2) for _ in range(runs)]
    assert done == [4, 0][:runs]
    with tenant_tx(world.acme.tenant.id):
        assert list_ids() == {"": ["0003", "0004"]}
        assert preview_pruning(2).counts == {"threads": 0, "checkpoints": 0}
        assert AgentThread.objects.count() == 3


def test_the_job_stands_in_the_timetable_with_a_preview(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        store(0)
    assert CARE["prune-threads"].preview(world.acme.tenant.id).counts == {"threads": 0, "checkpoints": 0}
