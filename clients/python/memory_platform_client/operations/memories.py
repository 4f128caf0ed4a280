"""What a subject said that lasts: notes and snapshots; and what people decide about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_platform_client.answers.inputs import AboutInput, SnapshotInput
from memory_platform_client.answers.memories import (
    Consolidation,
    ForgetOrder,
    HeldSnapshot,
    MemoryReview,
    Note,
    NoteState,
    Proposed,
    Snapshot,
    SnapshotBulk,
    WrittenNote,
    WrittenSnapshot,
)
from memory_platform_client.answers.shared import Erased
from memory_platform_client.answers.vocabularies import (
    BeliefKind,
    BeliefVerdict,
    ClaimedProvenance,
    Grade,
    MemoryDecision,
    MemoryKind,
    RemovableNoteField,
    RemovableSnapshotField,
    ReviewDecision,
    ReviewState,
    SnapshotKind,
    VitalClass,
)
from memory_platform_client.call_declarations import Scope, Way, call, listing
from memory_platform_client.decoding import Page
from memory_platform_client.encoding import When

NOTES = "/v1/subjects/{subject_id}/notes"
NOTE = f"{NOTES}/{{note_id}}"
SNAPSHOTS = "/v1/subjects/{subject_id}/snapshots"
SNAPSHOT = f"{SNAPSHOTS}/{{snapshot_id}}"
CANDIDATES = "/v1/subjects/{subject_id}/candidates"
REVIEWS = "/v1/subjects/{subject_id}/reviews"
CONSOLIDATIONS = "/v1/subjects/{subject_id}/consolidations"
FORGET_ORDERS = "/v1/subjects/{subject_id}/forget-orders"


class Notes(Scope[Way]):
    """Lasting things in the user's own words."""

    @listing(NOTES)
    def list(
        self,
        *,
        grade: Grade | None = None,
        about: str | None = None,
        vital: bool | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        include_history: bool | None = None,
        limit: int | None = None,
    ) -> Page[Note]:
        """List the current notes, or those of a past time, in the order in which they were recorded."""

    @call("POST", NOTES)
    def add(
        self,
        text: str,
        *,
        grade: Grade | None = None,
        about: AboutInput | None = None,
        vital: bool | None = None,
        vital_class: VitalClass | None = None,
        confidence: float | None = None,
        provenance: ClaimedProvenance | None = None,
        said_at: When | None = None,
        review_by: When | None = None,
        allow_forgotten: bool | None = None,
    ) -> WrittenNote:
        """Store a note."""

    @call("GET", NOTE)
    def get(self, note_id: str) -> Note:
        """Get a note, also one that is no longer true."""

    @call("PATCH", NOTE)
    def update(
        self,
        note_id: str,
        *,
        text: str | None = None,
        grade: Grade | None = None,
        about: AboutInput | None = None,
        vital: bool | None = None,
        vital_class: VitalClass | None = None,
        confidence: float | None = None,
        provenance: ClaimedProvenance | None = None,
        review_by: When | None = None,
        possibly_outdated: bool | None = None,
        remove: Sequence[RemovableNoteField] | None = None,
        if_match: str | None = None,
    ) -> WrittenNote:
        """Change the given details of a note."""

    @call("DELETE", NOTE)
    def retire(self, note_id: str, *, if_match: str | None = None) -> None:
        """Retire a note and the values from it alone; its history stays."""

    @call("POST", f"{NOTE}/forget")
    def forget(self, note_id: str) -> Erased:
        """Erase a note, the messages that said it, and everything else made of these messages."""

    @listing(f"{NOTE}/history")
    def history(self, note_id: str, *, limit: int | None = None) -> Page[NoteState]:
        """List the versions of a note, oldest first."""


class Snapshots(Scope[Way]):
    """Dated memories: messages, statements, episodes, and what your product stores."""

    @listing(SNAPSHOTS)
    def list(
        self,
        *,
        kind: SnapshotKind | None = None,
        topic: str | None = None,
        q: str | None = None,
        from_: When | None = None,
        to: When | None = None,
        as_of: When | None = None,
        limit: int | None = None,
    ) -> Page[Snapshot]:
        """List the current snapshots, or those that were true at a past time, oldest first."""

    @call("POST", SNAPSHOTS)
    def add(
        self,
        text: str,
        *,
        kind: MemoryKind | None = None,
        category: str | None = None,
        topics: Sequence[str] | None = None,
        aliases: Sequence[str] | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        provenance: ClaimedProvenance | None = None,
        said_at: When | None = None,
        expires_at: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        allow_forgotten: bool | None = None,
    ) -> WrittenSnapshot:
        """Store a memory, or confirm a known one (verdict ``unchanged``)."""

    @call("POST", f"{SNAPSHOTS}/bulk")
    def add_many(self, items: Sequence[SnapshotInput], *, allow_forgotten: bool | None = None) -> SnapshotBulk:
        """Store up to 1,000 memories at once, each with a verdict of its own."""

    @call("GET", SNAPSHOT)
    def get(self, snapshot_id: str) -> Snapshot:
        """Get a snapshot, also one that is no longer true."""

    @call("PATCH", SNAPSHOT)
    def update(
        self,
        snapshot_id: str,
        *,
        text: str | None = None,
        category: str | None = None,
        topics: Sequence[str] | None = None,
        aliases: Sequence[str] | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        provenance: ClaimedProvenance | None = None,
        said_at: When | None = None,
        expires_at: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        remove: Sequence[RemovableSnapshotField] | None = None,
        if_match: str | None = None,
    ) -> WrittenSnapshot:
        """Change the given details of a snapshot."""

    @call("DELETE", SNAPSHOT)
    def retire(self, snapshot_id: str, *, if_match: str | None = None) -> None:
        """Retire a snapshot; its history stays."""

    @call("POST", f"{SNAPSHOT}/forget")
    def forget(self, snapshot_id: str) -> Erased:
        """Erase a memory and everything made of it."""

    @listing(f"{SNAPSHOT}/history")
    def history(self, snapshot_id: str, *, limit: int | None = None) -> Page[HeldSnapshot]:
        """List the versions of a snapshot, oldest first."""


class Candidates(Scope[Way]):
    """Values that understanding proposed."""

    @listing(CANDIDATES)
    def list(
        self, *, verdict: BeliefVerdict | None = None, kind: BeliefKind | None = None, limit: int | None = None
    ) -> Page[Proposed]:
        """List the proposed values, newest first, with the decision about each."""

    @call("POST", f"{CANDIDATES}/{{candidate_id}}/review")
    def review(self, candidate_id: str, decision: ReviewDecision, *, reason: str | None = None) -> Proposed:
        """Approve or reject a proposal."""


class Reviews(Scope[Way]):
    """Memories that somebody should check."""

    @listing(REVIEWS)
    def list(self, *, state: ReviewState | None = None, limit: int | None = None) -> Page[MemoryReview]:
        """List the memories to check, newest first."""

    @call("POST", f"{REVIEWS}/{{review_id}}/decide")
    def decide(self, review_id: str, decision: MemoryDecision, *, reason: str | None = None) -> MemoryReview:
        """Keep or retire the memory."""


class Consolidations(Scope[Way]):
    """Memories that were joined because they say the same."""

    @listing(CONSOLIDATIONS)
    def list(self, *, limit: int | None = None) -> Page[Consolidation]:
        """List the memories that were joined, newest first."""

    @call("POST", f"{CONSOLIDATIONS}/{{consolidation_id}}/undo")
    def undo(self, consolidation_id: str, *, reason: str | None = None) -> Consolidation:
        """Separate a joined memory."""


class ForgetOrders(Scope[Way]):
    """Orders to forget that the user gave by talk."""

    @listing(FORGET_ORDERS)
    def list(self, *, limit: int | None = None) -> Page[ForgetOrder]:
        """List the user's orders to forget, newest first, with the memories that each hid."""

    @call("POST", f"{FORGET_ORDERS}/{{forget_order_id}}/undo")
    def undo(self, forget_order_id: str, *, reason: str | None = None) -> ForgetOrder:
        """Restore the memories that an order hid."""
