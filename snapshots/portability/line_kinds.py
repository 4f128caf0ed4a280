"""The lines of an export: one row of one table each, by column, without tenant and subject.

One list has the tables that are exported, in the order in which they refer to each other; another says why others are
not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import models

from memory_platform.kernel.ids import stable_id
from profiles.models import Ask, Candidate, Preference, ProfileFact, Tag, TagDetail, ToolSave
from snapshots.models import (
    AgentThread,
    BeliefCounter,
    Calibration,
    ChannelValue,
    Checkpoint,
    Consolidation,
    Conversation,
    Episode,
    FastLaneChange,
    MemoryFile,
    MemoryReview,
    Message,
    Note,
    NoteSlot,
    PendingWrite,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    ReceiptMemory,
    Snapshot,
    SnapshotCounter,
    SnapshotSource,
    SnapshotVersion,
    StoreItem,
    TagSource,
    Task,
)

# The format that exports are written in. Format 2 has notes, and the history of tags.
FORMAT = 2
# The formats that imports read, for ever.
READABLE_FORMATS = (1, 2)
HEADER = "header"
SUBJECT = "subject"
END = "end"
# The column of receipts that is compressed JSON; a line shows it as JSON.
PACKED_COLUMN = "rendered"


@dataclass(frozen=True, slots=False)
class LineKind:
    """One table in an export.

    ``later_keys``: keys to rows of the same table, set once all of them are there. ``id_columns``: columns that name
    rows without a key, each a UUID, a text, or a list of them. ``left_out``: columns made anew by an import. ``owner``:
    the key to the row that has the subject, in a table that has none itself.
    """

    name: str
    model: type[models.Model]
    later_keys: tuple[str, ...] = ()
    id_columns: tuple[str, ...] = ()
    left_out: frozenset[str] = field(default_factory=frozenset)
    owner: str = ""

    def find_rows(self, subject_id: UUID) -> models.QuerySet[Any]:
        """Return the rows of a subject, in the open scope."""
        path = f"{self.owner}__subject_id" if self.owner else "subject_id"
        return self.model._default_manager.filter(**{path: subject_id})

    @cached_property
    def columns(self) -> dict[str, models.Field[Any, Any]]:
        hidden = {"tenant_id", "subject_id", "id", *self.left_out}
        return {one.attname: one for one in self.model._meta.concrete_fields if one.attname not in hidden}

    @cached_property
    def keys(self) -> dict[str, type[models.Model]]:
        """The keys of a line that are set when it is stored, with the table that each refers to."""
        return {
            name: one.related_model
            for name, one in self.columns.items()
            if isinstance(one, models.ForeignKey)
            and name not in self.later_keys
            and isinstance(one.related_model, type)
        }


# Everything that is held, each kind after those that it refers to.
LINE_KINDS = (
    LineKind("profile_fact", ProfileFact, later_keys=("superseded_by_id", "version_of_id")),
    LineKind("preference", Preference, later_keys=("superseded_by_id", "version_of_id")),
    LineKind("tag", Tag),
    LineKind("tag_detail", TagDetail, later_keys=("superseded_by_id", "version_of_id")),
    LineKind("conversation", Conversation),
    LineKind("message", Message, left_out=frozenset({"content_hash", "archived"})),
    LineKind(
        "snapshot",
        Snapshot,
        later_keys=("superseded_by_id",),
        left_out=frozenset({"content_hash", "position"}),
    ),
    LineKind("note", Note, id_columns=("changed_by", "newer", "statement_id")),
    LineKind("note_slot", NoteSlot),
    LineKind("task", Task),
    LineKind("episode", Episode),
    LineKind("snapshot_version", SnapshotVersion),
    LineKind("snapshot_source", SnapshotSource),
    LineKind("preference_source", PreferenceSource),
    LineKind("profile_fact_source", ProfileFactSource),
    LineKind("tag_source", TagSource),
    LineKind("ask", Ask),
    LineKind("tool_save", ToolSave, id_columns=("memory_ref",)),
    LineKind("candidate", Candidate, id_columns=("message_ref",)),
    LineKind("consolidation", Consolidation, id_columns=("memory_ref", "members")),
    LineKind("calibration", Calibration, id_columns=("memory_ref",)),
    LineKind("memory_review", MemoryReview, id_columns=("memory_ref",)),
    LineKind("snapshot_counter", SnapshotCounter),
    LineKind("belief_counter", BeliefCounter, id_columns=("memory_ref",)),
    LineKind("fast_lane_change", FastLaneChange, id_columns=("memory_ref",)),
    LineKind("receipt", Receipt, left_out=frozenset({"packed", "due"})),
    LineKind("receipt_memory", ReceiptMemory, id_columns=("memory_ref",)),
    LineKind("agent_thread", AgentThread),
    LineKind("checkpoint", Checkpoint, owner="thread"),
    LineKind("channel_value", ChannelValue, owner="thread"),
    LineKind("pending_write", PendingWrite, owner="thread"),
    LineKind("store_item", StoreItem),
    LineKind("memory_file", MemoryFile),
)

KIND_BY_NAME: Mapping[str, LineKind] = {kind.name: kind for kind in LINE_KINDS}

# Tables of a subject that are not exported, and why.
NOT_EXPORTED: Mapping[str, str] = {
    "snapshot_words": "made of the snapshot",
    "snapshot_vector": "made of the snapshot by whatever model is configured",
    "memory_block": "a copy of the words and vectors",
    "subject_memory": "counts and locks",
    "message_archive": "the words stand in the lines of their messages",
    "memory_act": "what staff may still take back, for some weeks",
    "work": "what is still to be done with messages; an import brings what was done",
    "idempotent_reply": "copies of answers, for a day",
    "receipt_document": "which documents stand in a prompt; an import brings no prompt with documents",
    "kept_prefix": "names of prompts at a vendor, for minutes",
    "forgotten": "keyed hashes that mean nothing elsewhere",
    "subject_alias": "other ids of the subject since a join; the rows are the same",
    "subject_join": "which rows a join moved, for its undo",
    "webhook_delivery": "what is still to be told to the tenant's own addresses; they hear of the import",
    "forget_order": "what a user told us to forget, for a day",
}


@dataclass(frozen=True, slots=True)
class IdMapping:
    """Maps ids of an export of the subject ``origin`` to ids of the subject ``target``. ``known`` holds rows that the
    target has under other ids already: conversations of the same name."""

    origin: UUID
    target: UUID
    known: Mapping[str, str] = field(default_factory=dict)

    def map_id(self, exported: UUID) -> UUID:
        made = exported if self.origin == self.target else stable_id("import", self.target, exported)
        return UUID(self.known[str(made)]) if str(made) in self.known else made

    def map_text(self, exported: Any) -> Any:
        """Return the text for an exported id in JSON; a value that is no id stays as it is."""
        try:
            return str(self.map_id(UUID(exported)))
        except (ValueError, TypeError, AttributeError):
            return exported
