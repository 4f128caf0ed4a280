"""One tenant's key with another tenant's threads and namespaces, on every address of LangGraph's door. Rows: T1, T2."""

import re

import ormsgpack
import pytest
from django.http import HttpResponse

from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import House, World
from tests.memory_platform.api.wall import Rows, rows_of
from tests.memory_platform.compat.langgraph.calls import (
    CALLS,
    CANARY,
    NOBODYS,
    READS,
    WRITES,
    AgentIds,
    answer_of,
    call,
    make_checkpoint,
    make_put,
    make_writes,
)

ADAS = AgentIds()
LATER_ADAS = AgentIds(checkpoint="1f0-2")
MADE_ANEW = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+\+00:00|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}")


@pytest.fixture
def acme_rows(world: World) -> Rows:
    """What acme holds, all of it about Ada."""
    for path, body in (
        ("threads/put", make_checkpoint(ADAS, CANARY, subject_id="ada")),
        ("threads/put-writes", make_writes(ADAS, CANARY, subject_id="ada")),
        ("threads/put", make_checkpoint(LATER_ADAS, CANARY, parent_id=ADAS.checkpoint)),
        ("store/batch", {"ops": [make_put(ADAS, CANARY, subject_id="ada", ttl=60.0)]}),
    ):
        answer_of(call(world.acme, path, body))
    rows = rows_of(world.acme.tenant.id)
    assert {"agent_thread", "checkpoint", "channel_value", "pending_write", "store_item", "store_item_vector"} <= {
        table for table, held in rows.items() if held
    }
    return rows


def comparable(response: HttpResponse, ids: AgentIds) -> tuple[int, str]:
    text = repr(ormsgpack.unpackb(response.content)) if response.content else ""
    for name in (ids.thread, ids.label):
        text = text.replace(name, "<id>")
    return response.status_code, MADE_ANEW.sub("<made>", text.replace(ids.checkpoint, "<c>").replace(ids.key, "<k>"))


def test_another_tenant_s_ids_answer_like_ids_that_nobody_has(world: World, acme_rows: Rows) -> None:
    for path, make_body in CALLS.items():
        foreign = call(world.globex, path, make_body(ADAS))
        unknown = call(world.globex, path, make_body(NOBODYS))
        assert foreign.status_code in {200, 204}, (path, foreign.content)
        assert CANARY.encode() not in foreign.content, path
        assert comparable(foreign, ADAS) == comparable(unknown, NOBODYS), path
    assert rows_of(world.acme.tenant.id) == acme_rows


def test_the_tenant_s_own_ids_are_answered(world: World, acme_rows: Rows) -> None:
    """Else the first test would compare two mistakes."""
    for path, make_body in READS.items():
        found = call(world.acme, path, make_body(ADAS))
        assert CANARY.encode() in found.content, path


def test_without_a_key_nothing_is_answered(world: World) -> None:
    for path, make_body in CALLS.items():
        refused = call(None, path, make_body(ADAS))
        assert refused.status_code == 401, path
        assert refused["Content-Type"] == "application/problem+json"


def make_house(world: World, scope: str) -> House:
    with tenant_tx(world.acme.tenant.id):
        return House(
            world.acme.tenant, create_key(name=scope, scopes=[scope], by=COMMAND_LINE).token, world.acme.subject
        )


def test_a_key_does_what_its_scopes_say(world: World, acme_rows: Rows) -> None:
    reader, writer = make_house(world, "memory:read"), make_house(world, "memory:write")
    for path, make_body in READS.items():
        assert call(writer, path, make_body(ADAS)).status_code == 403, path
        assert call(reader, path, make_body(ADAS)).status_code == 200, path
    for path, make_body in WRITES.items():
        assert call(reader, path, make_body(ADAS)).status_code == 403, path
    assert call(writer, "store/batch", WRITES["store/batch"](ADAS)).status_code == 403, "it reads, too"
    assert call(writer, "store/batch", {"ops": [make_put(ADAS)]}).status_code == 200
    assert call(reader, "store/read", {"ops": [make_put(ADAS)]}).status_code == 400
