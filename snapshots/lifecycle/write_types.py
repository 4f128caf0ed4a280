"""Memories that products offer, and the results of writing them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.errors import FieldFault, Refused
from profiles.config import BELIEFS
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.value_claims import ConfidenceAboveCeiling
from snapshots.embedding.snapshot_drafts import MaskText, PreparedSnapshot
from snapshots.models import Snapshot, SnapshotKind


class ExpiresInPast(Refused):
    """A memory that has expired already would be stored and never seen. HTTP 422."""

    code = "expires_at_in_past"


# Takes a row's id and version; raises when the caller does not accept that version.
VersionCheck = Callable[[UUID, int], None]


# The columns of a note that is confirmed, whoever confirms it: no longer in doubt, not replaced by a newer one.
CONFIRMED_NOTE_COLUMNS: Mapping[str, Any] = {"possibly_outdated": False, "changed_by": None, "newer": None}


@dataclass(frozen=True, slots=True)
class NewSnapshot:
    """A memory as it is posted. Without a confidence it gets the ceiling of its provenance; ``said_at`` defaults to
    now."""

    text: str
    kind: str = SnapshotKind.MANUAL
    category: str = ""
    topics: Sequence[str] = ()
    aliases: Sequence[str] = ()
    importance: float = 0.5
    confidence: float | None = None
    provenance: str | None = None
    said_at: datetime | None = None
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    allow_forgotten: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotOffer:
    """A posted memory made ready outside of any transaction, or the reason why it is refused. ``allow_forgotten``:
    store it although the subject had it forgotten."""

    snapshot: PreparedSnapshot | None = None
    refusal: Refused | None = None
    allow_forgotten: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    """The result of one offer. ``id``: the snapshot that now says it; None when it was rejected, with ``reason``."""

    verdict: Verdict
    id: UUID | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SnapshotAddress:
    """One snapshot as outside programs name it: the product's own subject id, and the snapshot's id."""

    subject_id: str
    snapshot_id: UUID


@dataclass(frozen=True, slots=True)
class MessageAddress:
    """A message behind a memory, by the product's own ids."""

    conversation_id: str
    message_id: str


@dataclass(frozen=True, slots=True)
class SourcedSnapshot:
    """A snapshot with the messages behind it, in the order in which they were said."""

    snapshot: Snapshot
    sources: tuple[MessageAddress, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """A snapshot in one state: held from ``recorded_at`` until ``retired_at`` (None: it is held now)."""

    snapshot: Snapshot
    recorded_at: datetime
    retired_at: datetime | None


def drop_secret_labels(labels: Sequence[str], mask: MaskText) -> list[str]:
    """Return ``labels`` (topics, a category) once each, without those in which something would be masked."""
    return [label for label in dict.fromkeys(labels) if not mask(label)[1]]


def find_ceiling_fault(provenance: str, confidence: float) -> ConfidenceAboveCeiling | None:
    """Return the refusal of more confidence than ``provenance`` allows, naming the field; None when it is allowed."""
    ceiling = BELIEFS.ceiling(Provenance(provenance))
    if confidence <= ceiling:
        return None
    message = f"Must be at most {ceiling} for provenance {provenance}."
    return ConfidenceAboveCeiling(faults=[FieldFault("confidence", "above_ceiling", message)])
