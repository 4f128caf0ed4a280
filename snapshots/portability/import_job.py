"""Running an import: part by part, each in one transaction with the record that it is done."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import at_offset
from memory_platform.observability.logs import Event, log
from profiles.config import BELIEFS as CEILINGS
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import find_forgotten_texts, has_tombstones
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.indexed_text import SpokenTurn
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, SnapshotToStore, mask_name, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, store_snapshots
from snapshots.lifecycle.write_types import drop_secret_labels
from snapshots.models import Conversation, Job, JobPart, Message, Snapshot
from snapshots.portability.accept_import import LINK_LINE, drop_newly_forgotten, unpack_lines
from snapshots.portability.import_lines import (
    FORGOTTEN,
    STORED,
    UNCHANGED,
    RowValues,
    find_existing_ids,
    find_same_conversations,
    read_rows,
    store_links,
    store_rows,
)
from snapshots.portability.line_kinds import KIND_BY_NAME, IdMapping
from snapshots.queue.requested_jobs import advance_job, finish_job, lock_job
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.note_backfill import reset_passes
from snapshots.understanding.statements.statements import is_statement, load_messages_at
from tenants.isolation import tenant_tx

# Columns of a snapshot that a new one does not choose.
COLUMNS_SET_LATER = ("recorded_at", "retired_at", "invalid_at", "last_validated_at", "version")


def run_import(tenant_id: UUID, job: Job) -> None:
    """Store the rest of an accepted import. Safe to stop anywhere, and to run twice."""
    with tenant_tx(tenant_id):
        lock_job(job)
        drop_newly_forgotten(job)
    while True:
        with tenant_tx(tenant_id):
            part = JobPart.objects.filter(job_id=job.id).order_by("number").first()
        if part is None:
            break
        _store_part(tenant_id, job, part)
    with tenant_tx(tenant_id):
        lock_job(job)
        refresh_search_text_and_indexes(UUID(job.params["subject"]))
        finish_job(job, job.result)
    log(Event.IMPORT_FINISHED, tenant=tenant_id, job=str(job.id), lines=job.total)


def _store_part(tenant_id: UUID, job: Job, part: JobPart) -> None:
    """Store one part; snapshots are indexed and embedded before, with no transaction open."""
    lines, renaming = unpack_lines(part), _build_id_mapping(job)
    name = lines[0]["type"]
    prepared: list[PreparedSnapshot] = []
    if name == "snapshot":
        with tenant_tx(tenant_id):
            drafts = _build_drafts(read_rows(lines, renaming), renaming.target)
        prepared = prepare_snapshots(drafts, active_embedders())
    with tenant_tx(tenant_id):
        lock_job(job)
        fates = _store_lines(job, lines, renaming, prepared)
        counts: dict[str, Counter[str]] = {fate: Counter(job.result.get(fate, {})) for fate in fates}
        for fate, number in fates.items():
            counts[fate][name] += number
        job.result |= {fate: dict(rows) for fate, rows in counts.items() if +rows}
        Job.objects.filter(id=job.id).update(result=job.result, params=job.params)
        JobPart.objects.filter(job_id=job.id, id=part.id).delete()
        advance_job(job, done=len(lines) if name != LINK_LINE else 0)


def _store_lines(
    job: Job, lines: Sequence[dict[str, Any]], renaming: IdMapping, snapshots: Sequence[PreparedSnapshot]
) -> Counter[str]:
    name, allowed = lines[0]["type"], bool(job.params["allow_forgotten"])
    if name == LINK_LINE:
        return store_links(lines, renaming.target, renaming)
    rows = read_rows(lines, renaming)
    if name == "snapshot":
        return Counter(_store_snapshots(rows, renaming.target, snapshots, allow_forgotten=allowed).values())
    if name == "conversation":
        job.params["known"] = job.params.get("known", {}) | find_same_conversations(rows, renaming.target)
        rows = read_rows(lines, _build_id_mapping(job))
    if name == "message":
        reset_passes(renaming.target)
    return store_rows(KIND_BY_NAME[name], renaming.target, rows, allow_forgotten=allowed)


def import_snapshots(tenant_id: UUID, subject_id: str, origin: UUID, lines: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Store checked lines of snapshots for the product's own id of a subject, at once instead of by a job; return the
    verdict for each: ``stored``, ``unchanged`` or ``forgotten`` by the id in its line. The subject is created on first
    sight. Embeds: no transaction may be open. Where a line was stored, :func:`refresh_search_text_and_indexes` has
    to follow, once for many calls."""
    with tenant_tx(tenant_id):
        renaming = IdMapping(origin, ensure_subject(subject_id).id)
        rows = read_rows(lines, renaming)
        known = find_existing_ids(Snapshot, renaming.target, [row["id"] for row in rows])
        drafts = _build_drafts([row for row in rows if row["id"] not in known], renaming.target)
    if not drafts:
        return {line["id"]: UNCHANGED for line in lines}
    prepared = prepare_snapshots(drafts, active_embedders())
    with tenant_tx(tenant_id):
        fates = _store_snapshots(rows, renaming.target, prepared, allow_forgotten=False)
    return {line["id"]: fates[row["id"]] for line, row in zip(lines, rows, strict=True)}


def find_stored_lines(renaming: IdMapping, lines: Sequence[dict[str, Any]]) -> set[str]:
    """Return the ids of the lines of snapshots that are stored already, in the open scope."""
    ids = {renaming.map_id(UUID(line["id"])): line["id"] for line in lines}
    return {ids[one] for one in find_existing_ids(Snapshot, renaming.target, ids)}


def _store_snapshots(
    rows: Sequence[RowValues], subject_id: UUID, snapshots: Sequence[PreparedSnapshot], *, allow_forgotten: bool
) -> dict[UUID, str]:
    """Store snapshots as all writers do, then give them the columns that a new one does not choose. Return the verdict
    for each row, by its id."""
    begin_memory_epoch(subject_id, changed=())
    before = find_existing_ids(Snapshot, subject_id, [row["id"] for row in rows])
    gone = set[str]()
    if not allow_forgotten and has_tombstones(subject_id):
        gone = find_forgotten_texts(subject_id, [one.draft.text for one in snapshots])
    new = [one for one in snapshots if one.draft.id not in before and one.draft.text not in gone]
    stored = set(store_snapshots(new, allow_forgotten=True))
    columns = {row["id"]: row for row in rows}
    objects = list(Snapshot.objects.filter(subject_id=subject_id, id__in=stored))
    for snapshot in objects:
        for name in COLUMNS_SET_LATER:
            setattr(snapshot, name, columns[snapshot.id][name])
    Snapshot.objects.bulk_update(objects, COLUMNS_SET_LATER, batch_size=500)
    known = dict.fromkeys(before, UNCHANGED) | dict.fromkeys(stored, STORED)
    return {row["id"]: known.get(row["id"], FORGOTTEN) for row in rows}


def _build_drafts(rows: Sequence[RowValues], subject_id: UUID) -> list[SnapshotToStore]:
    places = {(row["conversation_id"], row["seq"] - 1) for row in rows if row["conversation_id"] and row["seq"]}
    before = load_messages_at(places, [subject_id]) if places else {}
    there = find_existing_ids(
        Conversation, subject_id, [row["conversation_id"] for row in rows if row["conversation_id"]]
    )
    kept = [row if row["conversation_id"] in there else {**row, "conversation_id": None} for row in rows]
    return [_build_draft(row, subject_id, before.get((row["conversation_id"], (row["seq"] or 0) - 1))) for row in kept]


def _build_draft(row: RowValues, subject_id: UUID, previous: Message | None) -> SnapshotToStore:
    text, masked = mask_sensitive(row["text"])
    turn = None
    if previous is not None and previous.content:
        turn = SpokenTurn(
            mask_sensitive(previous.content)[0], mask_name(previous.name, mask_sensitive), previous.said_locally
        )
    return SnapshotToStore(
        id=row["id"],
        subject_id=subject_id,
        kind=row["kind"],
        text=text,
        said_at=at_offset(row["said_at"], row["said_offset"]),
        valid_at=row["valid_at"],
        expires_at=row["expires_at"],
        name=mask_name(row["name"], mask_sensitive),
        conversation_id=row["conversation_id"],
        seq=row["seq"],
        previous=turn,
        previous_is_memory=turn is None or (previous is not None and is_statement(previous)),
        category="".join(drop_secret_labels([row["category"]], mask_sensitive)),
        topics=tuple(drop_secret_labels(row["topics"], mask_sensitive)),
        aliases=tuple(drop_secret_labels(row.get("aliases", ()), mask_sensitive)),
        importance=row["importance"],
        confidence=CEILINGS.cap_confidence(row["confidence"], Provenance(row["provenance"])),
        provenance=row["provenance"],
        metadata=row["metadata"],
        masked=row["masked"] or masked > 0,
        raw_fallback=row["raw_fallback"],
    )


def _build_id_mapping(job: Job) -> IdMapping:
    params = job.params
    return IdMapping(UUID(params["origin"]), UUID(params["subject"]), params.get("known", {}))


def refresh_search_text_and_indexes(subject_id: UUID) -> None:
    """Refresh the rows derived from a subject's others, in the open scope: its search text and the indexes of its
    memory."""
    refresh_search_text(Subject.objects.get(id=subject_id))
    own = Snapshot.objects.filter(subject_id=subject_id).order_by()
    begin_memory_epoch(subject_id, changed=own.values_list("position", flat=True))
