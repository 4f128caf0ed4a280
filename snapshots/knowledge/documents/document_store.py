"""Writing documents: an upload, an edit, a deletion, processing anew. All in the open scope, each with its audit row.

An upload only stores the bytes and adds a job. The old chunks answer, under their own title, address and metadata,
until that job has put the new ones in their place.
"""

import hashlib
from uuid import UUID

from django.db.models.functions import Now

from memory_platform.kernel.ids import new_id
from snapshots.knowledge.documents.collections import KIND as COLLECTION_KIND
from snapshots.knowledge.documents.collections import find_collection, lock_collection_for_document
from snapshots.knowledge.documents.quotas import reserve_documents
from snapshots.knowledge.documents.values import (
    DocumentEdit,
    DocumentUnknown,
    DocumentUpload,
    DocumentVerdict,
    DocumentWrite,
    VersionCheck,
)
from snapshots.knowledge.index.chunk_index_writes import move_in_index, remove_from_index
from snapshots.models import Chunk, Document, DocumentBody, DocumentCollection, DocumentStatus, Job, JobKind, JobPart
from snapshots.queue.requested_jobs import add_finished_job, add_job
from snapshots.receipts.prompts_of_deleted_documents import drop_texts_of_document
from tenants.services.audit import Actor, record_audit

KIND = "document"


def put_document(external_id: str, upload: DocumentUpload, *, by: Actor, accept: VersionCheck) -> DocumentWrite:
    """Store an upload under the product's id, and have it processed unless nothing changed.

    The same upload again is ``unchanged``; it is processed anew only if that failed. Raises CollectionMissing,
    QuotaExceeded, VersionMismatch.
    """
    collection = lock_collection_for_document(upload.collection)
    document, is_new = _lock_or_insert(external_id, upload, collection, accept)
    if is_new:
        record_audit(by, "document.stored", object_kind=KIND, object_id=str(document.id))
        return DocumentWrite(document, DocumentVerdict.STORED, _add_job(document).id)
    accept(document.id, document.version)
    if not _has_changed(document, upload, collection):
        return DocumentWrite(document, DocumentVerdict.UNCHANGED, _find_or_repeat_job(document).id)
    is_processed_anew = _needs_processing(document, upload)
    _replace(document, upload, collection)
    job = _add_job(document) if is_processed_anew else _find_or_repeat_job(document)
    record_audit(by, "document.replaced", object_kind=KIND, object_id=str(document.id))
    return DocumentWrite(document, DocumentVerdict.REPLACED, job.id)


def preview_upload(external_id: str, upload: DocumentUpload) -> DocumentVerdict:
    """Return the answer that :func:`put_document` would give, and change nothing. Raises CollectionMissing."""
    collection = lock_collection_for_document(upload.collection)
    found = Document.objects.filter(external_id=external_id).first()
    if found is None:
        return DocumentVerdict.STORED
    return DocumentVerdict.REPLACED if _has_changed(found, upload, collection) else DocumentVerdict.UNCHANGED


def edit_document(external_id: str, edit: DocumentEdit, *, by: Actor, accept: VersionCheck) -> Document:
    """Change the details of a document, at once also for the chunks that answer now. Its title is indexed, so a new one
    has the document processed again.

    Raises DocumentUnknown, CollectionMissing, VersionMismatch.
    """
    collection = lock_collection_for_document(edit.collection)
    document = lock_document(external_id)
    accept(document.id, document.version)
    title_before, before = document.title, (_get_details(document), document.answering)
    for name in ("title", "source_url", "metadata"):
        if getattr(edit, name) is not None:
            setattr(document, name, getattr(edit, name))
    if edit.collection is not None:
        _move(document, collection)
    document.answering = {
        name: value for name, value in document.answering.items() if getattr(edit, name, None) is None
    }
    if (_get_details(document), document.answering) == before:
        return document
    if document.title != title_before:
        document.upload += 1
    _save(document)
    if document.title != title_before:
        _add_job(document)
    record_audit(by, "document.edited", object_kind=KIND, object_id=str(document.id))
    return document


def delete_document(external_id: str, *, by: Actor, accept: VersionCheck, reason: str = "") -> None:
    """Delete a document with its content, chunks and index, and the prompts and kept answers that show it, at once.
    Raises DocumentUnknown, VersionMismatch."""
    document = lock_document(external_id, to_delete=True)
    accept(document.id, document.version)
    document_id = str(document.id)
    drop_texts_of_document(document)
    remove_from_index(_list_chunk_ids(document))
    # What jobs that wait, or were given up, have embedded of it.
    JobPart.objects.filter(job__kind=JobKind.DOCUMENT, job__params__document=document_id).delete()
    document.delete()
    record_audit(by, "document.deleted", object_kind=KIND, object_id=document_id, reason=reason)


def reindex_document(external_id: str, *, by: Actor, reason: str = "") -> tuple[Document, Job]:
    """Have a document read, cut and embedded anew, all of its chunks. Raises DocumentUnknown."""
    document = lock_document(external_id)
    job = _process_anew(document)
    record_audit(by, "document.reindexed", object_kind=KIND, object_id=str(document.id), reason=reason)
    return document, job


def reindex_collection(external_id: str, *, by: Actor, reason: str = "") -> int:
    """Have each document of a collection read, cut and embedded anew; return how many. Raises CollectionUnknown."""
    collection = find_collection(external_id)
    rows = Document.objects.filter(collection=collection).order_by("external_id")
    names = list(rows.values_list("external_id", flat=True))
    for name in names:
        _process_anew(lock_document(name))
    record_audit(
        by, "document_collection.reindexed", object_kind=COLLECTION_KIND, object_id=str(collection.id), reason=reason
    )
    return len(names)


def lock_document(external_id: str, *, to_delete: bool = False) -> Document:
    """Return a document, locked until the transaction ends; ``to_delete``: no receipt can name it either. Raises
    DocumentUnknown."""
    found = Document.objects.select_for_update(no_key=not to_delete).filter(external_id=external_id).first()
    if found is None:
        raise DocumentUnknown
    return found


def hash_content(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _lock_or_insert(
    external_id: str, upload: DocumentUpload, collection: DocumentCollection | None, accept: VersionCheck
) -> tuple[Document, bool]:
    """Return the document, locked, and whether it was made here. Two first uploads at once make one document."""
    while True:
        found = Document.objects.select_for_update(no_key=True).filter(external_id=external_id).first()
        if found is not None:
            return found, False
        accept(new_id(), 0)  # whoever has seen a version of it expects another one than none
        made = _insert(external_id, upload, collection)
        if made is not None:
            return made, True


def _insert(external_id: str, upload: DocumentUpload, collection: DocumentCollection | None) -> Document | None:
    reserve_documents(documents=1, byte_count=len(upload.content))
    wanted = Document(
        external_id=external_id,
        collection=collection,
        title=upload.title,
        content_type=upload.content_type,
        source_url=upload.source_url,
        metadata=dict(upload.metadata),
        byte_count=len(upload.content),
        content_hash=hash_content(upload.content),
    )
    Document.objects.bulk_create([wanted], ignore_conflicts=True)
    made = Document.objects.select_for_update(no_key=True).filter(id=wanted.id).first()
    if made is not None:
        DocumentBody.objects.create(document=made, upload=upload.content)
    return made


def _has_changed(document: Document, upload: DocumentUpload, collection: DocumentCollection | None) -> bool:
    wanted = (upload.title, upload.source_url, dict(upload.metadata), collection.id if collection else None)
    return _get_details(document) != wanted or _needs_processing(document, upload)


def _get_details(document: Document) -> tuple[str, str, object, UUID | None]:
    return document.title, document.source_url, document.metadata, document.collection_id


def _needs_processing(document: Document, upload: DocumentUpload) -> bool:
    same = (bytes(document.content_hash), document.content_type, document.title)
    return same != (hash_content(upload.content), upload.content_type, upload.title)


def _replace(document: Document, upload: DocumentUpload, collection: DocumentCollection | None) -> None:
    reserve_documents(documents=0, byte_count=len(upload.content) - document.byte_count)
    is_processed_anew = _needs_processing(document, upload)
    document.upload += is_processed_anew
    if document.indexed_upload and (is_processed_anew or document.answering):
        document.answering = document.cited_details
    if hash_content(upload.content) != bytes(document.content_hash):
        DocumentBody.objects.filter(document=document).update(upload=upload.content)
    document.title, document.source_url = upload.title, upload.source_url
    document.metadata = dict(upload.metadata)
    _move(document, collection, waits=bool(document.answering) and _opens(document, collection))
    document.content_type = upload.content_type
    document.byte_count, document.content_hash = len(upload.content), hash_content(upload.content)
    _save(document)


def _move(document: Document, collection: DocumentCollection | None, *, waits: bool = False) -> None:
    """Put a locked document with its chunks into a collection: its label holds at once. With ``waits`` the chunks stay
    where they are until those of the new upload take their place."""
    before = _find_collection_of_chunks(document)
    document.collection = collection
    document.answering = {name: value for name, value in document.answering.items() if name != "collection"}
    if before == document.collection_id:
        return
    if waits:
        document.answering["collection"] = str(before)
    else:
        move_in_index(_list_chunk_ids(document), document.collection_id)


def _find_collection_of_chunks(document: Document) -> UUID | None:
    held = document.answering.get("collection")
    return UUID(held) if held else document.collection_id


def _opens(document: Document, collection: DocumentCollection | None) -> bool:
    """Return whether a move takes the chunks that answer now from behind an access label to every search."""
    before = _find_collection_of_chunks(document)
    if before is None or (collection and collection.access_label):
        return False
    return DocumentCollection.objects.filter(id=before).exclude(access_label="").exists()


def _list_chunk_ids(document: Document) -> list[UUID]:
    return list(Chunk.objects.filter(document=document).order_by().values_list("id", flat=True))


def _save(document: Document) -> None:
    """Write a locked document as the next version."""
    document.version += 1
    document.updated_at = Now()
    document.save()
    document.refresh_from_db(fields=["updated_at"])


def _process_anew(document: Document) -> Job:
    document.upload += 1
    _save(document)
    return _add_job(document, anew=True)


def _add_job(document: Document, *, anew: bool = False) -> Job:
    """Add the job that processes the newest upload; ``anew`` keeps none of the chunks. What the job before has embedded
    goes: it may have been given up, and would keep what was replaced."""
    if document.job_id is not None:
        JobPart.objects.filter(job_id=document.job_id).delete()
    job = add_job(JobKind.DOCUMENT, {"document": str(document.id), "upload": document.upload, "anew": anew})
    fresh = {"job": job, "status": DocumentStatus.PROCESSING, "error_code": "", "error_detail": ""}
    Document.objects.filter(id=document.id).update(**fresh)
    for name, value in fresh.items():
        setattr(document, name, value)
    return job


def _find_or_repeat_job(document: Document) -> Job:
    """Return the job of an unchanged document: the one that is or was at it, another one after a failure."""
    if document.shown_status == DocumentStatus.FAILED:
        return _add_job(document)
    job: Job | None = document.job
    if job is None:  # purged some time after it had ended
        job = add_finished_job(JobKind.DOCUMENT, {"document": str(document.id), "upload": document.upload})
        document.job = job
        Document.objects.filter(id=document.id).update(job=job)
    return job
