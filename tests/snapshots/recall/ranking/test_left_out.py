"""What recall leaves out is told with the reason, as far as it is asked for. Rows: G1, R2, R7."""

from dataclasses import replace
from datetime import timedelta

from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.values import LeftOut
from tests.snapshots.recall.world import EMBEDDER, NOW, ask, id_of, index_of, memory

DAY = timedelta(days=1)
FLOOR = replace(DEFAULT_RECALL, scoring=replace(DEFAULT_RECALL.scoring, cosine_floors=((EMBEDDER.name, 0.99),)))
INDEX = index_of(
    [
        memory("aisle seats please"),
        memory("aisle seats please", id=id_of("again"), created_at=NOW - DAY),
        memory("aisle expired", expires_at=NOW - DAY),
        memory("aisle retired", retired_at=NOW - DAY, expires_at=NOW - DAY),
        memory("aisle replaced", invalid_at=NOW - DAY),
        memory("cello lessons"),
        memory("我对花生过敏"),
        memory("灯塔刷成了白色"),
        memory("words without a vector", embed=False),
    ]
)


def test_each_reason_is_told_for_the_nearest() -> None:
    hits = ask("aisle", INDEX, FLOOR, left_out=2)
    told = [(hit.left_out, hit.explain) for hit in hits[1:]]
    assert told == [
        (LeftOut("said_again", "statement"), None),
        (LeftOut("expired", "statement"), None),
        (LeftOut("below_floor", "statement"), None),
        (LeftOut("below_floor", "statement"), None),
    ]
    assert hits[2].id == id_of("aisle expired")
    assert {hit.id for hit in hits[3:]} < set(map(id_of, ("cello lessons", "我对花生过敏", "灯塔刷成了白色")))
    assert hits[3].score >= hits[4].score


def test_nothing_is_told_unasked_and_the_answer_is_the_same() -> None:
    asked, plain = ask("aisle", INDEX, FLOOR, left_out=5), ask("aisle", INDEX, FLOOR)
    assert all(hit.left_out is None for hit in plain)
    assert [hit for hit in asked if hit.left_out is None] == plain


def test_a_context_gets_the_whole_memory_and_nothing_is_below_the_floor_then() -> None:
    hits = ask("aisle", INDEX, FLOOR, whole=True, left_out=5)
    found = [hit.id for hit in hits if hit.left_out is None]
    assert set(map(id_of, ("cello lessons", "我对花生过敏", "灯塔刷成了白色", "words without a vector"))) < set(found)
    assert found[0] in map(id_of, ("aisle seats please", "again"))
    assert {hit.left_out.why for hit in hits if hit.left_out} == {"said_again", "expired"}
