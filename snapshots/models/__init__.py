"""Conversations, snapshots, receipts and the work that makes one from the other."""

from snapshots.models.conversation import Conversation, ConversationStatus, Message, MessageRole
from snapshots.models.index import EmbeddingSpace, MemoryBlock, SnapshotVector, SnapshotWords
from snapshots.models.receipt import Receipt, ReceiptMemory
from snapshots.models.snapshot import (
    BLOCK_POSITIONS,
    Snapshot,
    SnapshotCounter,
    SnapshotKind,
    SnapshotVersion,
    SubjectMemory,
)
from snapshots.models.source import PreferenceSource, ProfileFactSource, SnapshotSource, SourceLink, TagSource
from snapshots.models.work import Work, WorkKind, WorkRemoved, WorkState

__all__ = [
    "BLOCK_POSITIONS",
    "Conversation",
    "ConversationStatus",
    "EmbeddingSpace",
    "MemoryBlock",
    "Message",
    "MessageRole",
    "PreferenceSource",
    "ProfileFactSource",
    "Receipt",
    "ReceiptMemory",
    "Snapshot",
    "SnapshotCounter",
    "SnapshotKind",
    "SnapshotSource",
    "SnapshotVector",
    "SnapshotVersion",
    "SnapshotWords",
    "SourceLink",
    "SubjectMemory",
    "TagSource",
    "Work",
    "WorkKind",
    "WorkRemoved",
    "WorkState",
]
