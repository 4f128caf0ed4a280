"""Documents beside memory: the searches of a recall and a context. An answer never fails because of documents."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Q

from memory_platform.kernel.errors import Unavailable
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MEMORY_HITS, MEMORY_MISSES, RECALL_DEGRADED
from memory_platform.postgres.prepared_statements import fetch_prepared
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.search.config import ANSWER_LIMITS
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentAbstainReason, DocumentAnswer, DocumentQuery, DocumentScope
from snapshots.models import Document, DocumentStatus
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.values import DOCUMENTS, DegradedReason, RecallQuery
from tenants.isolation import current_tenant_id, tenant_tx

# Shared, as a key to a document is: nobody can delete it before the transaction ends.
LOCK_DOCUMENTS = "SELECT id FROM document WHERE tenant_id = $1::uuid AND id = ANY($2::uuid[]) ORDER BY id FOR KEY SHARE"
NOT_AVAILABLE = frozenset({DegradedReason.DOCUMENTS_UNAVAILABLE})


def recall_documents(tenant_id: UUID, query: RecallQuery, scope: DocumentScope, memory: RecallAnswer) -> DocumentAnswer:
    """Return the passages for the lane `documents` of a recall whose memory was answered by ``memory``, and count them.

    Nothing was said in a document: none answers a question that is limited to a kind, a topic or a time. Opens scopes.
    """
    if DOCUMENTS not in query.lanes:
        return DocumentAnswer()
    found = DocumentAnswer()
    if not _is_about_memories_alone(query):
        asked = DocumentQuery(
            query.text,
            min(query.top_k, ANSWER_LIMITS.top_k_most),
            scope=scope,
            min_relevance=max(query.min_relevance, ANSWER_LIMITS.min_relevance),
            rerank=query.rerank,
            rewrite=query.rewrite,
        )
        found = search_beside_memory(tenant_id, asked, memory.vectors if query.searches_index else None)
    for reason in found.degraded - memory.degraded:
        RECALL_DEGRADED.labels(reason=reason).inc()
    if found.passages:
        MEMORY_HITS.labels(type=DOCUMENTS).inc(len(found.passages))
    else:
        MEMORY_MISSES.labels(type=DOCUMENTS).inc()
    return found


def search_beside_memory(
    tenant_id: UUID, query: DocumentQuery, vectors: Mapping[str, Float32] | None = None
) -> DocumentAnswer:
    """Return the passages that answer; none, and that documents were not available, when the search fails or all that
    it may read is still waiting to be indexed. ``vectors`` as in :func:`search_documents`. Opens its own scopes."""
    try:
        found = search_documents(tenant_id, query, vectors)
        if found.abstained == DocumentAbstainReason.NO_DOCUMENTS:
            with tenant_tx(tenant_id):
                is_waiting = _waits_for_index(query.scope)
            found = replace(found, degraded=found.degraded | NOT_AVAILABLE) if is_waiting else found
    except (DatabaseError, Unavailable) as fault:
        log(Event.DOCUMENT_SEARCH_FAILED, tenant=tenant_id, error=type(fault).__name__)
        return DocumentAnswer(degraded=NOT_AVAILABLE)
    return found


def lock_documents_for_reading(documents: Collection[UUID]) -> frozenset[UUID]:
    """Return which of these documents are still there, in the open scope; nobody deletes them before it ends."""
    return frozenset(row[0] for row in fetch_prepared(LOCK_DOCUMENTS, [current_tenant_id(), list(documents)]))


def _is_about_memories_alone(query: RecallQuery) -> bool:
    times = (query.since, query.until, query.as_of, query.known_at)
    return bool(query.kinds or query.topics) or query.filter is not None or any(one is not None for one in times)


def _waits_for_index(scope: DocumentScope) -> bool:
    open_to_it = Q(collection=None) | Q(collection__access_label__in=["", *scope.access_labels])
    rows = Document.objects.filter(open_to_it, indexed_upload=0, status=DocumentStatus.PROCESSING).order_by()
    if scope.collections is not None:
        rows = rows.filter(collection__external_id__in=list(scope.collections))
    return rows.exists()
