"""The time in a checkpoint's id. Rows: C6, D8."""

from datetime import UTC, datetime, timedelta

import pytest
from langgraph.checkpoint.base.id import uuid6

from snapshots.threads.tombstones import read_checkpoint_time, was_made_before


def test_the_time_is_read_from_the_id() -> None:
    before = datetime.now(UTC)
    made_at = read_checkpoint_time(str(uuid6(clock_seq=-2)))
    assert made_at is not None
    assert before - timedelta(milliseconds=1) <= made_at <= datetime.now(UTC)
    assert was_made_before(str(uuid6(clock_seq=1)), datetime.now(UTC) + timedelta(seconds=1))


@pytest.mark.parametrize(
    "name", ["", "checkpoint-1", "6f1c2b1e-9d0a-4c47-8a3e-2b6f0d9c5e71", "ffffffff-ffff-6fff-bfff-ffffffffffff", "１"]
)
def test_another_id_tells_no_time_or_a_late_one(name: str) -> None:
    assert not was_made_before(name, datetime.now(UTC))
