"""Editing a snapshot: plan what changes, embed what it says now, apply (rows S3, S4, P5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict
from memory_platform.kernel.local_time import offset_of
from memory_platform.kernel.text import content_hash
from profiles.policy import BELIEFS
from profiles.services.tombstones import ForgottenMemory, forgotten_texts
from profiles.values import Provenance, Verdict
from snapshots.embedding.drafts import PreparedSnapshot, SnapshotDraft, prepare_snapshots
from snapshots.embedding.spaces import Embedders
from snapshots.embedding.store import reindex_snapshot, touch_memory
from snapshots.embedding.stored_drafts import Mask, stored_drafts
from snapshots.embedding.versions import INDEXED, keep_image
from snapshots.lifecycle.selectors import snapshot_at, with_sources
from snapshots.lifecycle.values import Accept, SnapshotAddress, SourcedSnapshot, ceiling_fault, labels_without_secrets
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx

VALIDATING = frozenset({"text", "confidence", "provenance"})
"""Who says these anew has looked at the memory."""

TRIES = 3


@dataclass(frozen=True, slots=True)
class Edit:
    """Changes to a snapshot, and what the door brings that they come through.

    ``changes`` are new values by column: text, category, topics, aliases, importance, confidence, provenance, said_at,
    expires_at, metadata. ``accept`` raises for a version that the caller does not expect. ``note`` is called with the
    snapshot as it was read, in the transaction that changed it.
    """

    changes: Mapping[str, Any]
    mask: Mask
    accept: Accept
    note: Callable[[Snapshot], None] | None = None


@dataclass(frozen=True, slots=True)
class EditPlan:
    """What an edit changes in the version that was read; ``draft`` is what to index, None when that stays.

    ``note_before`` holds the values, by column, that the snapshot's note loses in the same transaction.
    """

    snapshot: Snapshot
    changed: Mapping[str, Any]
    draft: SnapshotDraft | None
    note_before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edited:
    """A snapshot after an edit: ``stored``, or ``unchanged`` when it said all of that already."""

    verdict: Verdict
    sourced: SourcedSnapshot


def edit_snapshot(tenant_id: UUID, address: SnapshotAddress, edit: Edit, embedders: Embedders) -> Edited:
    """Change a snapshot and keep what it was. Opens its own scopes, one to read, one to write; embeds between them.

    Raises SnapshotUnknown, ConfidenceAboveCeiling, what ``edit.accept`` raises; Conflict when others keep changing it.
    """
    for _ in range(TRIES):
        with tenant_tx(tenant_id):
            plan = plan_edit(snapshot_at(address), edit)
        ready = prepare_snapshots([plan.draft], embedders) if plan.draft else []
        with tenant_tx(tenant_id):
            if apply_edit(plan, ready[0] if ready else None):
                if edit.note is not None and plan.changed:
                    edit.note(plan.snapshot)
                return _edited(plan)
    raise Conflict("Other requests keep changing this snapshot.")


def plan_edit(snapshot: Snapshot, edit: Edit) -> EditPlan:
    """Return what really changes, in the open scope. Raises ConfidenceAboveCeiling, and what ``edit.accept`` raises."""
    edit.accept(snapshot.id, snapshot.version)
    wanted = {**edit.changes, **_masked(edit), **_sureness(snapshot, edit.changes), **_clock(snapshot, edit.changes)}
    changed = {name: value for name, value in wanted.items() if getattr(snapshot, name) != value}
    if VALIDATING & changed.keys():
        changed["last_validated_at"] = utc_now()
    if not INDEXED & changed.keys():
        return EditPlan(snapshot, changed, None)
    indexed: dict[str, Any] = {name: changed[name] for name in INDEXED & changed.keys()}
    return EditPlan(snapshot, changed, replace(stored_drafts([snapshot], edit.mask)[0], **indexed))


def apply_edit(plan: EditPlan, ready: PreparedSnapshot | None) -> bool:
    """Write a planned edit in the open scope; False when the snapshot has changed since it was read.

    Raises ForgottenMemory.
    """
    if not plan.changed and not plan.note_before:
        return True
    snapshot, columns = plan.snapshot, dict(plan.changed)
    if "text" in columns:
        columns["content_hash"] = content_hash(columns["text"])
    touch_memory(snapshot.subject_id, changed=[snapshot.position])
    if "text" in columns and forgotten_texts(snapshot.subject_id, [columns["text"]]):
        raise ForgottenMemory("The subject had this forgotten.")
    read = Snapshot.objects.filter(
        id=snapshot.id, subject_id=snapshot.subject_id, version=snapshot.version, retired_at__isnull=True
    )
    if not read.update(version=F("version") + 1, **columns):
        return False
    keep_image(snapshot, plan.changed, until=utc_now(), note=plan.note_before)
    if ready is not None:
        reindex_snapshot(ready)
    return True


def _masked(edit: Edit) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name in ("topics", "aliases"):
        if name in edit.changes:
            changes[name] = labels_without_secrets(edit.changes[name], edit.mask)
    if "category" in edit.changes:
        changes["category"] = "".join(labels_without_secrets([edit.changes["category"]], edit.mask))
    if "text" in edit.changes:
        text, masked = edit.mask(edit.changes["text"])
        changes |= {"text": text, "masked": masked > 0}
    return changes


def _clock(snapshot: Snapshot, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Another moment brings the clock that tells it; the same one leaves what is known of the speaker's."""
    said_at = changes.get("said_at", snapshot.said_at)
    return {} if said_at == snapshot.said_at else {"said_offset": offset_of(said_at)}


def _sureness(snapshot: Snapshot, changes: Mapping[str, Any]) -> dict[str, Any]:
    """A weaker provenance lowers a confidence that was not given to its ceiling; a given one above it is refused."""
    if not {"provenance", "confidence"} & changes.keys():
        return {}
    provenance = changes.get("provenance", snapshot.provenance)
    if "confidence" not in changes:
        return {"confidence": min(snapshot.confidence, BELIEFS.ceiling(Provenance(provenance)))}
    refused = ceiling_fault(provenance, changes["confidence"])
    if refused:
        raise refused
    return {}


def _edited(plan: EditPlan) -> Edited:
    snapshot = Snapshot.objects.get(id=plan.snapshot.id, subject_id=plan.snapshot.subject_id)
    return Edited(Verdict.STORED if plan.changed else Verdict.UNCHANGED, with_sources([snapshot])[0])
