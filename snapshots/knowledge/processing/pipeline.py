"""The job of one upload: read, cut, embed, and swap the chunks.

Reading, cutting and embedding happen with no transaction open. One transaction at the end puts the new chunks in place
of the old ones; before it, and after any failure, the document answers as it did. A newer upload, or a deletion, that
came meanwhile wins: the job then ends without a change.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from uuid import UUID

from django.db import DatabaseError
from django.db.models.functions import Now

from memory_platform.observability.logs import Event, log
from snapshots.config import JOB_CONFIG
from snapshots.embedding.embedding_spaces import measure_active_embedders
from snapshots.knowledge.chunking.chunk_cutter import cut_chunks
from snapshots.knowledge.documents.config import DOCUMENT_CONFIG
from snapshots.knowledge.errors import UnreadableDocumentError
from snapshots.knowledge.index.chunk_index_writes import IndexRow, prepare_index_rows
from snapshots.knowledge.processing.chunk_swap import ChunkSwap, is_current, plan_swap, swap_chunks
from snapshots.knowledge.processing.staged_rows import (
    NO_CHUNK,
    delete_staged_rows,
    give_to_chunk,
    load_staged_rows,
    stage_rows,
)
from snapshots.knowledge.reading.document_reader import read_document
from snapshots.knowledge.values import ChunkDraft, ParsedDocument
from snapshots.models import Document, DocumentBody, DocumentStatus, Job
from snapshots.queue.draining.heartbeat import repeat_in_background
from snapshots.queue.requested_jobs import advance_job, finish_job, give_up_job, lock_job, set_job_total
from snapshots.queue.values import LeaseLost
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

# Why a job ended without indexing anything, in its result.
REPLACED, DELETED = "replaced_meanwhile", "deleted_meanwhile"


@dataclass(frozen=True, slots=True)
class ClaimedUpload:
    """The upload that a job works at, as it was when the job began."""

    document_id: UUID
    number: int
    anew: bool
    content: bytes
    content_type: str
    external_id: str
    title: str


def process_document(tenant_id: UUID, job: Job) -> None:
    """Index one upload. Safe to stop anywhere, and to run twice."""
    with tenant_tx(tenant_id):
        lock_job(job)
        upload = _claim_upload(job)
    if upload is None:
        return
    try:
        with _keep_lease(tenant_id, job):
            parsed, drafts = _read_and_cut(upload)
            while (embedded := _embed(tenant_id, job, upload, drafts)) is not None:
                if _swap(tenant_id, job, upload, parsed, *embedded):
                    break
    except (UnreadableDocumentError, QuotaExceeded) as fault:  # no further attempt can help
        _give_up(tenant_id, job, fault)


def _claim_upload(job: Job) -> ClaimedUpload | None:
    """Return the upload of a locked job; None, with the job finished, when there is nothing to do any more."""
    document = _lock_document(job)
    if document is None:
        return None
    Document.objects.filter(id=document.id).update(status=DocumentStatus.PROCESSING, error_code="", error_detail="")
    return ClaimedUpload(
        document.id,
        document.upload,
        bool(job.params.get("anew")),
        bytes(DocumentBody.objects.values_list("upload", flat=True).get(document=document)),
        document.content_type,
        document.external_id,
        document.title,
    )


def _lock_document(job: Job) -> Document | None:
    """Return the document of a locked job, locked; None, with the job finished, if it is gone or has a newer upload."""
    rows = Document.objects.select_for_update(no_key=True).filter(id=job.params["document"])
    document = rows.first()
    if document is not None and document.upload == job.params["upload"]:
        return document
    delete_staged_rows(job)
    finish_job(job, {"outcome": DELETED if document is None else REPLACED})
    return None


def _read_and_cut(upload: ClaimedUpload) -> tuple[ParsedDocument, Sequence[ChunkDraft]]:
    parsed = read_document(upload.content, upload.content_type)
    return parsed, cut_chunks(parsed, upload.title or parsed.title or upload.external_id)


def _embed(
    tenant_id: UUID, job: Job, upload: ClaimedUpload, drafts: Sequence[ChunkDraft]
) -> tuple[ChunkSwap, Sequence[IndexRow]] | None:
    """Compare with the indexed chunks, and make the index rows of the new ones; an attempt before may have begun. None,
    with the job finished, when there is nothing to do any more."""
    embedders = measure_active_embedders()  # the id of a space needs its dimensions
    with tenant_tx(tenant_id):
        swap = plan_swap(upload.document_id, drafts, anew=upload.anew)
        known = load_staged_rows(job, embedders)
        wanted = {draft.content_hash: draft for _, draft in swap.new}
        waiting = [draft for content_hash, draft in wanted.items() if content_hash not in known]
        set_job_total(job, done=len(wanted) - len(waiting), total=len(wanted))
    for start in range(0, len(waiting), DOCUMENT_CONFIG.batch):
        batch = waiting[start : start + DOCUMENT_CONFIG.batch]
        made = prepare_index_rows([(NO_CHUNK, draft.place, draft.text) for draft in batch])
        rows = {draft.content_hash: row for draft, row in zip(batch, made, strict=True)}
        with tenant_tx(tenant_id):
            lock_job(job)
            if _lock_document(job) is None:  # the newer upload has dropped what this job staged, and will not again
                return None
            stage_rows(job, rows)
            advance_job(job, done=len(batch))
        known |= rows
    return swap, [give_to_chunk(known[draft.content_hash], chunk_id) for chunk_id, draft in swap.new]


def _swap(
    tenant_id: UUID,
    job: Job,
    upload: ClaimedUpload,
    parsed: ParsedDocument,
    swap: ChunkSwap,
    rows: Sequence[IndexRow],
) -> bool:
    """Put the new chunks in place and finish the job; return False when the indexed chunks are others by now."""
    with tenant_tx(tenant_id):
        lock_job(job)
        document = _lock_document(job)
        if document is None:
            return True
        if not is_current(swap, document.id):
            return False
        swap_chunks(document, swap, rows)
        delete_staged_rows(job)
        DocumentBody.objects.filter(document=document).update(text=parsed.text)
        Document.objects.filter(id=document.id).update(
            status=DocumentStatus.READY,
            indexed_upload=upload.number,
            indexed_at=Now(),
            found_title=parsed.title or "",
            answering={},
            chunk_count=len(swap.kept) + len(swap.new),
        )
        counts = {"chunks": len(swap.kept) + len(swap.new), "embedded": len(swap.new), "removed": len(swap.gone)}
        finish_job(job, {"outcome": "indexed", **counts})
    log(Event.DOCUMENT_INDEXED, tenant=tenant_id, job=str(job.id), **counts)
    return True


def _give_up(tenant_id: UUID, job: Job, fault: UnreadableDocumentError | QuotaExceeded) -> None:
    """Say at the document why its newest upload cannot be indexed, and give the job up; the indexed chunks stay."""
    with tenant_tx(tenant_id):
        lock_job(job)
        document = _lock_document(job)
        if document is None:
            return
        Document.objects.filter(id=document.id).update(
            status=DocumentStatus.FAILED, error_code=fault.code, error_detail=fault.detail
        )
        delete_staged_rows(job)
        give_up_job(job, fault.code)


def _keep_lease(tenant_id: UUID, job: Job) -> AbstractContextManager[None]:
    """Renew the job's lease while the block runs: reading a large file can take longer than a lease lasts."""

    def renew_lease() -> bool:
        try:
            with tenant_tx(tenant_id):
                advance_job(job, done=0)
        except (DatabaseError, LeaseLost):
            return False
        return True

    return repeat_in_background(renew_lease, JOB_CONFIG.lease / 3)
