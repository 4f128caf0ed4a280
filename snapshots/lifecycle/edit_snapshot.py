"""Edit a snapshot: plan the changes, embed the new text, apply."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import offset_of, utc_now
from memory_platform.kernel.errors import Conflict
from memory_platform.kernel.text import content_hash
from profiles.config import BELIEFS
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.tombstones import ForgottenMemory, find_forgotten_texts
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import (
    MaskText,
    PreparedSnapshot,
    SnapshotToStore,
    load_reindexing_drafts,
    prepare_snapshots,
)
from snapshots.embedding.snapshot_history import INDEXED, store_version
from snapshots.embedding.snapshot_store import begin_memory_epoch, reindex_snapshot
from snapshots.lifecycle.note_trace_hooks import lock_note_subject
from snapshots.lifecycle.selectors import load_held_snapshot, load_with_sources
from snapshots.lifecycle.write_types import (
    SnapshotAddress,
    SourcedSnapshot,
    VersionCheck,
    drop_secret_labels,
    find_ceiling_fault,
)
from snapshots.models import Note, Snapshot
from tenants.isolation import tenant_tx

# A person who sets one of these has looked at the memory, so it counts as validated.
VALIDATING_COLUMNS = frozenset({"text", "confidence", "provenance"})

TRIES = 3
TopicsOf = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Edit:
    """Changes to a snapshot, with the caller's callbacks.

    ``changes`` are new values by column: text, category, topics, aliases, importance, confidence, provenance, said_at,
    expires_at, metadata; ``details`` those of its note. ``accept`` raises for a version that the caller does not
    expect. ``note`` is called in the transaction that changed the snapshot, with the snapshot as read and the ended
    ``traces`` of a note. ``topics_of`` reads topics from text.
    """

    changes: Mapping[str, Any]
    mask: MaskText
    accept: VersionCheck
    note: Callable[[Snapshot, Mapping[str, Any]], None] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    topics_of: TopicsOf | None = None


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The changes of an edit to the version that was read. ``draft``: for the index, None when the index stays.

    ``details`` are the changes to its note, ``note_before`` the values that these replace, by column.
    """

    snapshot: Snapshot
    changed: Mapping[str, Any]
    draft: SnapshotToStore | None
    details: Mapping[str, Any] = field(default_factory=dict)
    note_before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EditResult:
    """A snapshot after an edit: ``stored``, or ``unchanged`` when it had all these values already."""

    verdict: Verdict
    sourced: SourcedSnapshot


def edit_snapshot(tenant_id: UUID, address: SnapshotAddress, edit: Edit, embedders: Embedders) -> EditResult:
    """Change a snapshot and keep its previous state. Opens its own scopes, one to read, one to write; embeds between
    them.

    Raises SnapshotUnknown, ConfidenceAboveCeiling, errors of ``edit.accept``; Conflict when others keep changing it.
    """
    for _ in range(TRIES):
        with tenant_tx(tenant_id):
            plan = plan_edit(load_held_snapshot(address), edit)
        ready = prepare_snapshots([plan.draft], embedders) if plan.draft else []
        with tenant_tx(tenant_id):
            if apply_edit(plan, ready[0] if ready else None):
                if edit.note is not None and plan.changed:
                    edit.note(plan.snapshot, {})
                snapshot = Snapshot.objects.get(id=plan.snapshot.id, subject_id=plan.snapshot.subject_id)
                verdict = Verdict.STORED if plan.changed else Verdict.UNCHANGED
                return EditResult(verdict, load_with_sources([snapshot])[0])
    raise Conflict("Other requests keep changing this snapshot.")


def plan_edit(snapshot: Snapshot, edit: Edit) -> EditPlan:
    """Return the real changes, in the open scope. Raises ConfidenceAboveCeiling, and errors of ``edit.accept``."""
    edit.accept(snapshot.id, snapshot.version)
    changes = {**_replace_read_topics(snapshot, edit), **edit.changes, **_mask_changes(edit)}
    wanted = {**changes, **_cap_confidence(snapshot, edit.changes), **_change_said_offset(snapshot, edit.changes)}
    changed = {name: value for name, value in wanted.items() if getattr(snapshot, name) != value}
    if VALIDATING_COLUMNS & changed.keys():
        changed["last_validated_at"] = utc_now()
    details, before = _plan_note_changes(snapshot, edit.details)
    if not INDEXED & changed.keys():
        return EditPlan(snapshot, changed, None, details, before)
    indexed: dict[str, Any] = {name: changed[name] for name in INDEXED & changed.keys()}
    draft = replace(load_reindexing_drafts([snapshot], edit.mask)[0], **indexed)
    return EditPlan(snapshot, changed, draft, details, before)


def apply_edit(plan: EditPlan, ready: PreparedSnapshot | None) -> bool:
    """Write a planned edit in the open scope; return False, with nothing written, when the snapshot has changed since
    it was read. Raises ForgottenMemory."""
    if not plan.changed and not plan.details:
        return True
    snapshot, columns = plan.snapshot, dict(plan.changed)
    if "text" in columns:
        columns["content_hash"] = content_hash(columns["text"])
        lock_note_subject(snapshot)
    begin_memory_epoch(snapshot.subject_id, changed=[snapshot.position])
    if "text" in columns and find_forgotten_texts(snapshot.subject_id, [columns["text"]]):
        raise ForgottenMemory("The subject had this forgotten.")
    read = Snapshot.objects.filter(
        id=snapshot.id, subject_id=snapshot.subject_id, version=snapshot.version, retired_at__isnull=True
    )
    if not read.update(version=F("version") + 1, **columns):
        return False
    store_version(snapshot, plan.changed, until=utc_now(), note=plan.note_before)
    if ready is not None:
        reindex_snapshot(ready)
    if plan.details:
        Note.objects.filter(snapshot_id=snapshot.id, subject_id=snapshot.subject_id).update(**plan.details)
    return True


def _plan_note_changes(snapshot: Snapshot, columns: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    if not columns:
        return {}, {}
    note = Note.objects.get(snapshot_id=snapshot.id, subject_id=snapshot.subject_id)
    details = {name: value for name, value in columns.items() if getattr(note, name) != value}
    return details, {name: getattr(note, name) for name in details}


def _replace_read_topics(snapshot: Snapshot, edit: Edit) -> dict[str, Any]:
    """Return the topics of the new text. Topics that the old text does not have were given by somebody, and stay."""
    if edit.topics_of is None or "text" not in edit.changes:
        return {}
    before, now = list(edit.topics_of(snapshot.text)), list(edit.topics_of(edit.changes["text"]))
    is_read = {"topics": before == snapshot.topics, "category": "".join(before[:1]) == snapshot.category}
    renewed = {"topics": now, "category": "".join(now[:1])}
    return {name: value for name, value in renewed.items() if is_read[name]}


def _mask_changes(edit: Edit) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name in ("topics", "aliases"):
        if name in edit.changes:
            changes[name] = drop_secret_labels(edit.changes[name], edit.mask)
    if "category" in edit.changes:
        changes["category"] = "".join(drop_secret_labels([edit.changes["category"]], edit.mask))
    if "text" in edit.changes:
        text, masked = edit.mask(edit.changes["text"])
        changes |= {"text": text, "masked": masked > 0}
    return changes


def _change_said_offset(snapshot: Snapshot, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the speaker's offset for another moment; the same moment keeps the offset that is known."""
    said_at = changes.get("said_at", snapshot.said_at)
    return {} if said_at == snapshot.said_at else {"said_offset": offset_of(said_at)}


def _cap_confidence(snapshot: Snapshot, changes: Mapping[str, Any]) -> dict[str, Any]:
    """A weaker provenance lowers a confidence that was not given to its ceiling; a given one above it is refused."""
    if not {"provenance", "confidence"} & changes.keys():
        return {}
    provenance = changes.get("provenance", snapshot.provenance)
    if "confidence" not in changes:
        return {"confidence": min(snapshot.confidence, BELIEFS.ceiling(Provenance(provenance)))}
    refused = find_ceiling_fault(provenance, changes["confidence"])
    if refused:
        raise refused
    return {}
