"""Texts are read by the ids of hits, inside the subject and the tenant. Rows: R7, T1."""

from memory_platform.kernel.ids import new_id
from snapshots.recall.answer import load_texts
from snapshots.recall.values import RankedHit
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.held import remember


def test_texts_come_in_the_order_of_the_hits_without_what_is_gone(world: World) -> None:
    first, second = remember(world.acme, "aisle seats", "靠过道的座位")
    hits = [RankedHit(second, 0.9, 0.9), RankedHit(new_id(), 0.8, 0.8), RankedHit(first, 0.7, 0.7)]
    with tenant_tx(world.acme.tenant.id):
        found = load_texts(world.acme.subject.id, hits)
    assert [(memory.text, memory.score) for memory in found] == [("靠过道的座位", 0.9), ("aisle seats", 0.7)]


def test_another_tenants_scope_reads_no_text_of_these_ids(world: World) -> None:
    (held,) = remember(world.acme, "aisle seats")
    with tenant_tx(world.globex.tenant.id):
        assert load_texts(world.acme.subject.id, [RankedHit(held, 0.9, 0.9)]) == ()
