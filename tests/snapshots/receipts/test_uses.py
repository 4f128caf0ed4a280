"""Which answers used this memory, among 40,000 receipts; and the history's tokens. Rows: G1, X10."""

import json
import os
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from snapshots.context.gathering.conversation_inputs import HISTORY
from snapshots.receipts.read import list_receipts
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import run_as_owner, say

RECEIPTS, MEMORIES = 40_000, 2_000
FEW, EACH = 4_000, 4
AT_SCALE = pytest.mark.skipif(not os.environ.get("AT_SCALE"), reason="takes tables of its own size: make test-scale")
WANTED = UUID(int=7)
FILL = """
WITH made AS (
  INSERT INTO receipt (tenant_id, id, subject_id, created_at, policy_version, intent, phase, candidates, sections,
                       tokens, degraded_reason, prefix_hash)
  SELECT %(tenant)s, gen_random_uuid(), %(subject)s, now() - n * interval '1 minute', '1', '', '', '[]', '[]', '{}',
         '', '' FROM generate_series(1, %(receipts)s) n
  RETURNING id
)
INSERT INTO receipt_memory (tenant_id, subject_id, receipt_id, signal, id, memory_ref, lane, context_position)
SELECT %(tenant)s, %(subject)s, id, '', gen_random_uuid(),
       lpad(to_hex(row_number() OVER () %% %(memories)s), 32, '0')::uuid, 'snapshots', 1
FROM made
"""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def run_plan(house: House, sql: str, values: Any, *without: str) -> list[dict[str, Any]]:
    """Return the nodes of the plan that Postgres ran ``sql`` by, each with its actual rows; ``without`` some kinds."""
    with tenant_tx(house.tenant.id), connection.cursor() as cursor:
        for kind in without:
            cursor.execute(f"SET LOCAL {kind} = off")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", values)
        (answer,) = cursor.fetchone()
    return list(nodes((answer if isinstance(answer, list) else json.loads(answer))[0]["Plan"]))


def test_a_few_thousand_receipts_are_enough_for_the_index(world: World) -> None:
    """With statistics and nothing switched off: what is read are this memory's rows and its receipts, whatever else
    there is."""
    house = world.acme
    connection.close()  # a session that checked keys while the tables were empty would go on reading them whole
    with tenant_tx(house.tenant.id), connection.cursor() as cursor:
        own = {"tenant": house.tenant.id, "subject": house.subject.id}
        cursor.execute(FILL, own | {"receipts": FEW, "memories": FEW // EACH})
    run_as_owner("ANALYZE receipt, receipt_memory")
    with tenant_tx(house.tenant.id):
        asked = list_receipts(memory_id=WANTED).order_by("created_at", "id")[:51]
        sql, values = asked.query.sql_with_params()
        assert len(asked) == EACH
    read = [node for node in run_plan(house, sql, values) if node.get("Relation Name") in {"receipt", "receipt_memory"}]
    assert {node["Relation Name"] for node in read} == {"receipt", "receipt_memory"}
    assert {node["Node Type"] for node in read} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}
    touched = [node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0) for node in read]
    assert max(touched) <= EACH


@AT_SCALE
@pytest.mark.timeout(180)
def test_the_receipts_that_used_a_memory_are_all_that_is_read(world: World) -> None:
    house = world.acme
    connection.close()  # a session that checked keys while the tables were empty would go on reading them whole
    with tenant_tx(house.tenant.id):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            own = {"tenant": house.tenant.id, "subject": house.subject.id}
            cursor.execute(FILL, own | {"receipts": RECEIPTS, "memories": MEMORIES})
        asked = list_receipts(memory_id=WANTED).order_by("created_at", "id")[:51]
        sql, values = asked.query.sql_with_params()
        assert len(asked) == RECEIPTS / MEMORIES
    for statistics in ("none", "fresh"):
        ran = run_plan(house, sql, values)
        read = [node for node in ran if node.get("Relation Name") in {"receipt", "receipt_memory"}]
        assert {node["Node Type"] for node in read} <= {"Index Scan", "Bitmap Heap Scan"}, statistics
        touched = [node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0) for node in read]
        assert touched == [RECEIPTS / MEMORIES] * 2, statistics
        run_as_owner("ANALYZE receipt, receipt_memory")


@AT_SCALE
def test_the_tokens_of_a_history_are_summed_from_an_index_alone(world: World) -> None:
    for number in range(10):
        say(world.acme, *(f"turn {number} {n} about the weather" for n in range(50)), conversation=f"c{number}")
    run_as_owner("VACUUM (ANALYZE, DISABLE_PAGE_SKIPPING) message")
    sql = HISTORY.replace("$1", "%s").replace("$2", "%s")
    ran = run_plan(
        world.acme, sql, [world.acme.tenant.id, world.acme.subject.id], "enable_seqscan", "enable_bitmapscan"
    )
    (read,) = [node for node in ran if "Relation Name" in node]
    assert (read["Node Type"], read["Index Name"]) == ("Index Only Scan", "message_sizes")
    assert (read["Actual Rows"], read["Heap Fetches"]) == (500, 0)
