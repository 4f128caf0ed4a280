"""What is malformed, too large or cannot be stored is refused with a problem, and stores nothing. Rows: D1, D8."""

from typing import Any

import orjson
import ormsgpack
import pytest

from snapshots.models import AgentThread, StoreItem
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.compat.langgraph.calls import AgentIds, call, make_checkpoint, make_put, make_writes

IDS = AgentIds()
DEEP: Any = {}
for _ in range(40):
    DEEP = {"in": DEEP}

BODIES: list[tuple[str, Any, str]] = [
    ("threads/put", b"\xc1", "body"),
    ("threads/put", b"", "body"),
    ("threads/put", ormsgpack.packb([1]), "body"),
    ("threads/put", make_checkpoint(IDS, thread_id="a\x00b"), "thread_id"),
    ("threads/put", make_checkpoint(IDS, thread_id=""), "thread_id"),
    ("threads/put", make_checkpoint(IDS, thread_id="x" * 1_001), "thread_id"),
    ("threads/put", make_checkpoint(IDS, thread_id=7), "thread_id"),
    ("threads/put", make_checkpoint(IDS, namespace="n" * 1_001), "namespace"),
    ("threads/put", make_checkpoint(IDS, unknown=1), "unknown"),
    ("threads/put", make_checkpoint(IDS, body=["msgpack", "text"]), "body"),
    ("threads/put", make_checkpoint(IDS, body=["f\x00", b""]), "body"),
    ("threads/put", make_checkpoint(IDS, versions={"said": None}), "versions"),
    ("threads/put", make_checkpoint(IDS, versions={"said": "\x00"}), "versions"),
    ("threads/put", make_checkpoint(IDS, values={"said": b""}), "values"),
    ("threads/put", make_checkpoint(IDS, metadata={"said": "a\x00b"}), "metadata"),
    ("threads/put", make_checkpoint(IDS, metadata={"said": b"bytes"}), "metadata"),
    ("threads/put", make_checkpoint(IDS, metadata={"said": float("nan")}), "metadata"),
    ("threads/put", make_checkpoint(IDS, metadata={"said": 2**63}), "metadata"),
    ("threads/put", make_checkpoint(IDS, metadata=DEEP), "metadata"),
    ("threads/put", make_checkpoint(IDS, metadata={"said": "x" * 70_000}), "metadata"),
    ("threads/put", make_checkpoint(IDS, subject_id="a/b"), "subject_id"),
    ("threads/put-writes", make_writes(IDS, writes=[[2**31, "said", "msgpack", b""]]), "writes"),
    ("threads/put-writes", make_writes(IDS, writes=[[True, "said", "msgpack", b""]]), "writes"),
    ("threads/put-writes", make_writes(IDS, writes="said"), "writes"),
    ("threads/list", {"limit": 0}, "limit"),
    ("threads/prune", {"thread_ids": ["a"], "strategy": "all"}, "strategy"),
    ("threads/delete", {"thread_ids": ["a"] * 1_001}, "thread_ids"),
    ("threads/delete", {"thread_ids": ["a"], "now": float("inf")}, "now"),
    ("store/batch", {"ops": [["drop", {}]]}, "ops.0"),
    ("store/batch", {"ops": [["put", 7]]}, "ops.0"),
    ("store/batch", {"ops": [make_put(IDS, namespace=[])]}, "ops.0.namespace"),
    ("store/batch", {"ops": [make_put(IDS, namespace=["a\x00"])]}, "ops.0.namespace"),
    ("store/batch", {"ops": [make_put(IDS, namespace=["x" * 1_001])]}, "ops.0.namespace"),
    ("store/batch", {"ops": [make_put(IDS, key="k\x00")]}, "ops.0.key"),
    ("store/batch", {"ops": [make_put(IDS, value="[1]")]}, "ops.0.value"),
    ("store/batch", {"ops": [make_put(IDS, ttl=-1.0)]}, "ops.0.ttl"),
    ("store/batch", {"ops": [make_put(IDS, ttl=float("nan"))]}, "ops.0.ttl"),
    ("store/batch", {"ops": [make_put(IDS)] * 1_001}, "ops"),
    ("store/read", {"ops": [["search", {"prefix": [], "filter": {"n": {"$like": 1}}}]]}, "filter"),
    ("store/read", {"ops": [["search", {"prefix": [], "filter": {"n": {"$gt": None}}}]]}, "filter"),
    ("store/read", {"ops": [["search", {"prefix": [], "limit": 10_001}]]}, "ops.0.limit"),
]


def test_a_malformed_body_is_400_and_names_the_field(world: World) -> None:
    for path, body, field in BODIES:
        refused = call(world.acme, path, body)
        assert refused.status_code == 400, (path, body, refused.content)
        problem = orjson.loads(refused.content)
        named = {fault["field"] for fault in problem["errors"]}
        assert any(one == field or one.startswith(f"{field}.") for one in named), (path, body, problem)
    assert_nothing_is_stored(world)


@pytest.mark.parametrize("value", ['{"a": "\\u0000"}', '{"a": "\\ud800"}', '{"a": NaN}', "{", '{"a":' * 20_000])
def test_a_value_that_the_database_cannot_hold_is_400(world: World, value: str) -> None:
    refused = call(world.acme, "store/batch", {"ops": [make_put(IDS, value=value)]})
    assert refused.status_code == 400, refused.content
    assert_nothing_is_stored(world)


def test_another_media_type_and_a_large_body_are_refused(world: World) -> None:
    assert call(world.acme, "threads/get", b"{}", Content_Type="application/json").status_code == 415
    assert call(world.acme, "threads/put", b"x" * (16 * 1024 * 1024 + 1)).status_code == 413


def test_a_large_state_is_stored(world: World) -> None:
    large = make_checkpoint(IDS, values={"said": ["msgpack", b"x" * 5_000_000]})
    assert call(world.acme, "threads/put", large).status_code == 204
    assert len(call(world.acme, "threads/get", {"thread_id": IDS.thread}).content) > 5_000_000


def assert_nothing_is_stored(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        assert not AgentThread.objects.exists()
        assert not StoreItem.objects.exists()
