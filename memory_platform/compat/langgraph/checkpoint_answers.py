"""Answers about threads. A page sends each value of a channel once, however many checkpoints have it."""

from collections.abc import Sequence
from typing import Any

from snapshots.threads.channel_history import ChannelHistory
from snapshots.threads.read_checkpoints import CheckpointPage
from snapshots.threads.values import PackedValue, StoredCheckpoint, StoredWrite


class SharedValues:
    """The values of a page in the order of their first use; a checkpoint names them by their number."""

    def __init__(self) -> None:
        self.sent: list[list[Any]] = []
        self._numbers: dict[tuple[str, str, str, str], int] = {}

    def number_value(self, owner: StoredCheckpoint, channel: str, version: str, packed: PackedValue) -> int:
        name = (owner.place.thread_id, owner.place.namespace, channel, version)
        if name not in self._numbers:
            self._numbers[name] = len(self.sent)
            self.sent.append([packed.format, packed.value])
        return self._numbers[name]


def render_checkpoint(checkpoint: StoredCheckpoint | None) -> dict[str, Any]:
    """Return the answer that holds one checkpoint, or none: a page of it."""
    return render_page(CheckpointPage([checkpoint] if checkpoint else [], None))


def render_page(page: CheckpointPage) -> dict[str, Any]:
    shared = SharedValues()
    checkpoints = [_render_stored_checkpoint(one, shared) for one in page.checkpoints]
    cursor = page.next_cursor
    after = cursor and {"checkpoint_id": cursor.checkpoint_id, "row_id": str(cursor.row_id)}
    return {"checkpoints": checkpoints, "values": shared.sent, "next": after}


def render_history(histories: Sequence[ChannelHistory]) -> dict[str, Any]:
    return {
        "channels": {
            one.channel: {"writes": render_writes(one.writes), "seed": one.seed and [one.seed.format, one.seed.value]}
            for one in histories
        }
    }


def render_writes(writes: Sequence[StoredWrite]) -> list[list[Any]]:
    return [[one.task_id, one.channel, one.packed.format, one.packed.value] for one in writes]


def _render_stored_checkpoint(one: StoredCheckpoint, shared: SharedValues) -> dict[str, Any]:
    return {
        "thread_id": one.place.thread_id,
        "namespace": one.place.namespace,
        "checkpoint_id": one.place.checkpoint_id,
        "parent_id": one.parent_id,
        "body": [one.body.format, one.body.value],
        "versions": one.versions,
        "metadata": one.metadata,
        "values": {
            channel: shared.number_value(one, channel, version, packed) for channel, version, packed in one.values
        },
        "writes": render_writes(one.writes),
    }
