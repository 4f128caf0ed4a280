"""A recall that finds nothing in a lane that it asked for is counted. Rows: D5."""

from prometheus_client import REGISTRY

from memory_platform.kernel.clock import utc_now
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tests.conftest import World
from tests.snapshots.notes_held import note_down
from tests.snapshots.recall.ranking.test_notes import NOTED, ask


def count_misses(lane: str) -> float:
    return REGISTRY.get_sample_value("agent_memory_miss_total", {"type": lane}) or 0.0


def test_a_recall_that_finds_no_notes_is_counted_as_a_miss_of_what_it_asked_for(world: World) -> None:
    before = {lane: count_misses(lane) for lane in ("notes", "tags")}
    recall(world.acme.tenant.id, "nobody", RecallQuery("花生", utc_now(), lanes=frozenset({"notes"})))
    note_down(world.acme, *NOTED[:2])
    assert ask(world.acme, "peanuts").notes
    assert count_misses("notes") == before["notes"] + 1
    assert count_misses("tags") == before["tags"]
