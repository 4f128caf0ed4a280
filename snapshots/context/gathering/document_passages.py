"""Passages of documents for a context: the question to them, and the passages found, ready for the section
`knowledge`."""

from collections.abc import Sequence
from uuid import UUID

from snapshots.context.config import ContextPolicy
from snapshots.context.values import ContextRequest, Passage, PassageSource
from snapshots.context.writing.prompt_fence import INSPECTED_TEXTS
from snapshots.knowledge.config import DEFAULT_CHUNKING
from snapshots.knowledge.search.config import ANSWER_LIMITS
from snapshots.knowledge.search.documents_beside_memory import lock_documents_for_reading
from snapshots.knowledge.search.values import DocumentQuery, DocumentScope, FoundPassage


def make_document_query(request: ContextRequest, policy: ContextPolicy, scope: DocumentScope) -> DocumentQuery | None:
    """Return the question to documents; None if their section has no room. Chunks are merged only as far as the section
    can hold them: no passage is cut."""
    room = policy.knowledge if request.budget.knowledge is None else request.budget.knowledge
    if not room:
        return None
    chunks = room // DEFAULT_CHUNKING.most_tokens
    return DocumentQuery(
        request.query,
        min(max(ANSWER_LIMITS.top_k, chunks), ANSWER_LIMITS.top_k_most),
        scope=scope,
        merged=min(max(1, chunks - 1), ANSWER_LIMITS.merged),
        min_relevance=ANSWER_LIMITS.min_relevance if request.min_relevance is None else request.min_relevance,
    )


def make_document_passages(passages: Sequence[FoundPassage], *, least: float) -> tuple[Passage, ...]:
    """Return passages, best first, as candidates; ``least`` is the relevance that was asked for."""
    return tuple(_make_candidate(one, number, least) for number, one in enumerate(passages, 1))


def lock_passages(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages whose documents are still there, in the open scope; nobody deletes those before it ends."""
    documents = {one.source.document for one in passages if one.source}
    held = lock_documents_for_reading(documents) if documents else frozenset[UUID]()
    return tuple(one for one in passages if one.source and one.source.document in held)


def _make_candidate(passage: FoundPassage, number: int, least: float) -> Passage:
    cited = passage.citation
    looks = INSPECTED_TEXTS("\n".join((cited.title, *cited.heading_path, passage.text)))
    return Passage(
        lane="documents",
        id=str(passage.chunk_ids[0]),
        text=passage.text,
        score=passage.score,
        source=PassageSource(number, passage.document, tuple(map(str, passage.chunk_ids)), passage.position, cited),
        relevance=passage.relevance,
        least=least,
        untrusted_instruction=looks.instructs,
        looks=looks,
    )
