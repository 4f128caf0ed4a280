"""State that agents of other makers' frameworks keep here: checkpoints of threads, items of a store, and files."""

from snapshots.models.agent_state.memory_file import MemoryFile
from snapshots.models.agent_state.store_item import StoreItem, StoreItemVector
from snapshots.models.agent_state.thread import AgentThread, ChannelValue, Checkpoint, PendingWrite, ThreadTombstone

__all__ = [
    "AgentThread",
    "ChannelValue",
    "Checkpoint",
    "MemoryFile",
    "PendingWrite",
    "StoreItem",
    "StoreItemVector",
    "ThreadTombstone",
]
