"""Conversations, snapshots, receipts, and the work that turns messages into memory."""

from snapshots.models.agent_state import (
    AgentThread,
    ChannelValue,
    Checkpoint,
    PendingWrite,
    StoreItem,
    StoreItemVector,
    ThreadTombstone,
)
from snapshots.models.conversation import Conversation, ConversationStatus, Message, MessageArchive, MessageRole
from snapshots.models.episode import Episode, EpisodeOutcome
from snapshots.models.feedback import BeliefCounter, FastLaneChange, Indicator, SnapshotCounter
from snapshots.models.forget_order import ForgetOrder, ForgetOrderState
from snapshots.models.index import EmbeddingSpace, MemoryBlock, SnapshotVector, SnapshotWords
from snapshots.models.job import Job, JobKind, JobPart, JobStatus
from snapshots.models.knowledge import Chunk, Document, DocumentBody, DocumentCollection, DocumentStatus
from snapshots.models.maintenance import (
    ActVerb,
    Calibration,
    CalibrationRule,
    Consolidation,
    MemoryAct,
    MemoryLane,
    MemoryReview,
    ReviewDecision,
    ReviewReason,
)
from snapshots.models.note import AboutKind, Note, NoteGrade, NoteSlot, VitalClass
from snapshots.models.outbox import DeliveryState, OffReason, Webhook, WebhookDelivery, WebhookEvent
from snapshots.models.prompt import KeptPrefix
from snapshots.models.receipt import VERDICT, Receipt, ReceiptMemory
from snapshots.models.snapshot import (
    BLOCK_POSITIONS,
    CUT_OUT,
    Snapshot,
    SnapshotKind,
    SnapshotVersion,
    SubjectMemory,
)
from snapshots.models.source import (
    SOURCES,
    PreferenceSource,
    ProfileFactSource,
    SnapshotSource,
    SourceLink,
    TagSource,
)
from snapshots.models.task import StepStatus, Task, TaskStatus
from snapshots.models.work import QueueDay, Work, WorkKind, WorkRemoved, WorkState

__all__ = [
    "BLOCK_POSITIONS",
    "CUT_OUT",
    "SOURCES",
    "VERDICT",
    "AboutKind",
    "ActVerb",
    "AgentThread",
    "BeliefCounter",
    "Calibration",
    "CalibrationRule",
    "ChannelValue",
    "Checkpoint",
    "Chunk",
    "Consolidation",
    "Conversation",
    "ConversationStatus",
    "DeliveryState",
    "Document",
    "DocumentBody",
    "DocumentCollection",
    "DocumentStatus",
    "EmbeddingSpace",
    "Episode",
    "EpisodeOutcome",
    "FastLaneChange",
    "ForgetOrder",
    "ForgetOrderState",
    "Indicator",
    "Job",
    "JobKind",
    "JobPart",
    "JobStatus",
    "KeptPrefix",
    "MemoryAct",
    "MemoryBlock",
    "MemoryLane",
    "MemoryReview",
    "Message",
    "MessageArchive",
    "MessageRole",
    "Note",
    "NoteGrade",
    "NoteSlot",
    "OffReason",
    "PendingWrite",
    "PreferenceSource",
    "ProfileFactSource",
    "QueueDay",
    "Receipt",
    "ReceiptMemory",
    "ReviewDecision",
    "ReviewReason",
    "Snapshot",
    "SnapshotCounter",
    "SnapshotKind",
    "SnapshotSource",
    "SnapshotVector",
    "SnapshotVersion",
    "SnapshotWords",
    "SourceLink",
    "StepStatus",
    "StoreItem",
    "StoreItemVector",
    "SubjectMemory",
    "TagSource",
    "Task",
    "TaskStatus",
    "ThreadTombstone",
    "VitalClass",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
    "Work",
    "WorkKind",
    "WorkRemoved",
    "WorkState",
]
