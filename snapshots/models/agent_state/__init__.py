"""State that agents of other makers' frameworks keep here: checkpoints of threads, and items of a store."""

from snapshots.models.agent_state.store_item import StoreItem, StoreItemVector
from snapshots.models.agent_state.thread import AgentThread, ChannelValue, Checkpoint, PendingWrite, ThreadTombstone

__all__ = [
    "AgentThread",
    "ChannelValue",
    "Checkpoint",
    "PendingWrite",
    "StoreItem",
    "StoreItemVector",
    "ThreadTombstone",
]
