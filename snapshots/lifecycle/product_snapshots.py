"""Snapshots that products write themselves: offer, create, retire."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from memory_platform.kernel.ids import new_id
from memory_platform.kernel.text import content_hash
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MEMORIES_WRITTEN
from profiles.audit import record_act
from profiles.config import BELIEFS
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.tombstones import REASON as FORGOTTEN
from profiles.services.tombstones import find_forgotten_texts, has_tombstones
from snapshots.config import choose_default_provenance
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import MaskText, PreparedSnapshot, SnapshotToStore, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory, store_snapshots
from snapshots.lifecycle.note_trace_hooks import end_note_traces, lock_note_subject
from snapshots.lifecycle.selectors import build_current_snapshot_condition, load_held_snapshot
from snapshots.lifecycle.write_types import (
    ExpiresInPast,
    NewSnapshot,
    SnapshotAddress,
    SnapshotOffer,
    SnapshotResult,
    VersionCheck,
    drop_secret_labels,
    find_ceiling_fault,
)
from snapshots.models import Snapshot
from tenants.isolation import current_tenant_id
from tenants.services.audit import Actor

# Equal for two memories of one subject that say the same: kind, and hash of the normalised text.
ContentKey = tuple[str, bytes]

# Stands for the subject in an offer: its row may not exist yet when the offer is embedded.
SUBJECT_TO_COME = UUID(int=0)


@dataclass(frozen=True, slots=True)
class RetiredSnapshot:
    snapshot: Snapshot
    ended: Mapping[str, Any]


def prepare_offers(posted: Sequence[NewSnapshot], embedders: Embedders, *, mask: MaskText) -> list[SnapshotOffer]:
    """Index and embed posted snapshots, in one call to each model. No transaction may be open."""
    now = utc_now()
    refusals = [_find_write_refusal(new, now) for new in posted]
    drafts = [_build_draft(new, now, mask) for new, refused in zip(posted, refusals, strict=True) if not refused]
    ready = iter(prepare_snapshots(drafts, embedders))
    return [
        SnapshotOffer(refusal=refused) if refused else SnapshotOffer(next(ready), allow_forgotten=new.allow_forgotten)
        for new, refused in zip(posted, refusals, strict=True)
    ]


def create_snapshots(subject: Subject, offers: Sequence[SnapshotOffer]) -> list[SnapshotResult]:
    """Store snapshots that the subject's memory lacks, in the open scope; return each offer's result, in order. An
    offer is ``unchanged`` if a current snapshot of its kind has its text, up to spacing; that is validated anew."""
    lock_memory(subject.id)
    drafts = [offer.snapshot.draft if offer.snapshot else None for offer in offers]
    contents = [(draft.kind, content_hash(draft.text)) if draft else None for draft in drafts]
    known = _find_current_ids(subject, {content for content in contents if content})
    forgotten = set[str]()
    if has_tombstones(subject.id):
        forgotten = find_forgotten_texts(subject.id, [draft.text for draft in drafts if draft])
    new: dict[ContentKey, PreparedSnapshot] = {}
    fates: list[SnapshotResult] = []
    for offer, content in zip(offers, contents, strict=True):
        if offer.snapshot is None or content is None:
            fates.append(SnapshotResult(Verdict.REJECTED, reason=offer.refusal.code if offer.refusal else None))
        elif offer.snapshot.draft.text in forgotten and not offer.allow_forgotten:
            fates.append(SnapshotResult(Verdict.REJECTED, reason=FORGOTTEN))
        elif content in known:
            fates.append(SnapshotResult(Verdict.UNCHANGED, known[content]))
        else:
            new[content] = assign_subject(offer.snapshot, subject)
            known[content] = offer.snapshot.draft.id
            fates.append(SnapshotResult(Verdict.STORED, known[content]))
    store_snapshots(list(new.values()), allow_forgotten=True)  # what is not allowed was rejected by now
    _mark_validated(subject, {fate.id for fate in fates if fate.id} - {one.draft.id for one in new.values()})
    transaction.on_commit(partial(_report, current_tenant_id(), subject.id, fates), robust=True)
    return fates


def retire_snapshot(
    address: SnapshotAddress, *, accept: VersionCheck, by: Actor | None = None, reason: str = ""
) -> RetiredSnapshot:
    """Take a snapshot out of recall, in the open scope, and end its traces; its history stays.

    ``known_at`` before now still finds it. ``accept`` raises for a version that the caller does not expect. ``by`` (a
    staff member) leaves an audit record. Raises SnapshotUnknown.
    """
    found = load_held_snapshot(address)
    lock_note_subject(found)
    begin_memory_epoch(found.subject_id, changed=[found.position])
    snapshot = load_held_snapshot(address)  # again, now that no other writer can change it
    accept(snapshot.id, snapshot.version)
    snapshot.retired_at = utc_now()
    rows = Snapshot.objects.filter(id=snapshot.id, subject_id=snapshot.subject_id)
    rows.update(retired_at=snapshot.retired_at, version=F("version") + 1)
    snapshot.version += 1
    if by is not None:
        record_act(by, "snapshot.retired", snapshot, reason)
    return RetiredSnapshot(snapshot, end_note_traces(snapshot, snapshot.text))


def _find_write_refusal(new: NewSnapshot, now: datetime) -> Refused | None:
    if new.expires_at is not None and new.expires_at <= now:
        return ExpiresInPast(faults=[FieldFault("expires_at", "in_past", "Must be in the future.")])
    return None if new.confidence is None else find_ceiling_fault(_choose_provenance(new), new.confidence)


def _build_draft(new: NewSnapshot, now: datetime, mask: MaskText) -> SnapshotToStore:
    text, masked = mask(new.text)
    provenance = _choose_provenance(new)
    said_at = new.said_at or now
    return SnapshotToStore(
        id=new_id(),
        subject_id=SUBJECT_TO_COME,
        kind=new.kind,
        text=text,
        said_at=said_at,
        valid_at=min(said_at, now),
        expires_at=new.expires_at,
        by_kind=new.expires_at is None,
        category="".join(drop_secret_labels([new.category], mask)),
        topics=tuple(drop_secret_labels(new.topics, mask)),
        aliases=tuple(drop_secret_labels(new.aliases, mask)),
        importance=new.importance,
        confidence=BELIEFS.ceiling(provenance) if new.confidence is None else new.confidence,
        provenance=provenance,
        metadata=new.metadata,
        masked=masked > 0,
    )


def _choose_provenance(new: NewSnapshot) -> Provenance:
    return Provenance(new.provenance) if new.provenance else choose_default_provenance(new.kind)


def assign_subject(snapshot: PreparedSnapshot, subject: Subject) -> PreparedSnapshot:
    return replace(snapshot, draft=replace(snapshot.draft, subject_id=subject.id))


def _find_current_ids(subject: Subject, contents: Collection[ContentKey]) -> dict[ContentKey, UUID]:
    if not contents:
        return {}
    hashes = {content for _, content in contents}
    rows = Snapshot.objects.filter(
        build_current_snapshot_condition(), subject_id=subject.id, content_hash__in=hashes
    ).order_by("-position")
    found: Mapping[ContentKey, UUID] = {
        (kind, bytes(content)): snapshot_id
        for kind, content, snapshot_id in rows.values_list("kind", "content_hash", "id")
    }
    return {content: found[content] for content in contents if content in found}


def _mark_validated(subject: Subject, ids: Collection[UUID]) -> None:
    if ids:
        rows = Snapshot.objects.filter(subject_id=subject.id, id__in=ids)
        rows.update(last_validated_at=utc_now(), version=F("version") + 1)
        begin_memory_epoch(subject.id, changed=rows.order_by().values_list("position", flat=True))


def _report(tenant_id: UUID, subject_id: UUID, fates: Sequence[SnapshotResult]) -> None:
    for fate in fates:
        MEMORIES_WRITTEN.labels(type="snapshot", verdict=fate.verdict).inc()
    log(Event.SNAPSHOT_WRITTEN, tenant=tenant_id, subject=subject_id, offered=len(fates))
