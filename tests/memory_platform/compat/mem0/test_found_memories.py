"""What a search reads in one round trip is what the list's own conditions let through. Rows: D3."""

from datetime import timedelta

from lab.evaluation.datasets.scratch_tenant import finish_work
from memory_platform.compat.mem0.filters.grammar import FilterTree
from memory_platform.compat.mem0.found_memories import (
    FoundMemory,
    ScoredSnapshot,
    filter_found_memories,
    load_found_memories,
)
from memory_platform.compat.mem0.requested_filters import read_requested_filters
from memory_platform.compat.mem0.visible_memories import render_memory
from memory_platform.kernel.clock import utc_now
from snapshots.models import Note, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.held import say

SAID = (
    "I am allergic to peanuts.",
    "我对花生过敏。",
    "Where is the harbour?",
    "My sister Ruth plays the cello.",
    "I row.",
)


def render(found: list[ScoredSnapshot]) -> list[tuple[str, object]]:
    return sorted((one.row.text, render_memory(one.row, score=one.score)) for one in found)


def test_both_ways_find_the_same_memories(world: World) -> None:
    acme, tenant_id = world.acme, world.acme.tenant.id
    say(acme, *SAID)
    finish_work(tenant_id)
    filters: FilterTree = read_requested_filters({"filters": {"user_id": acme.subject.external_id}}, free_fields=False)
    with tenant_tx(tenant_id):
        statements = list(Snapshot.objects.filter(kind="statement").order_by("text"))
        notes = list(Note.objects.values_list("snapshot_id", "statement_id"))
        assert len(notes) >= 2
        Snapshot.objects.filter(id=notes[0][0]).update(expires_at=utc_now() - timedelta(days=1))
        Snapshot.objects.filter(id=notes[1][0]).update(
            topics=["food"], metadata={"来源": "门诊", "mem0:agent_id": "nurse"}
        )
    hits = {row.id: FoundMemory.of_kind(row.kind, 0.5 + place / 100) for place, row in enumerate(statements)}
    found = load_found_memories(tenant_id, hits)
    assert render(found) == render(filter_found_memories(tenant_id, hits, filters))
    shown = {one.row.id for one in found}
    assert notes[1][0] in shown, "a note stands for the message"
    assert notes[0][0] not in shown, "it has expired"
    assert "Where is the harbour?" not in {one.row.text for one in found}, "it only asks"
    assert load_found_memories(world.globex.tenant.id, hits) == [], "ids of another tenant find nothing"
