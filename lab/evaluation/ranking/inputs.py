"""The inputs of an evaluation as pure values, so that a policy is tried in seconds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from lab.evaluation.datasets.questions import DatasetQuestion, SubjectQuestions
from lab.evaluation.ranking.evidence_overlap import EvidenceNeed, build_evidence_need, estimate_tokens, list_pieces
from memory_platform.kernel.errors import Unavailable
from memory_platform.providers.contracts import Preparable, WordRelations
from memory_platform.providers.registry import word_relations
from profiles.belief_queries import find_subject_id
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.index_row_packing import Float32
from snapshots.recall.answer import load_texts
from snapshots.recall.loading.load_stored_memory import make_reader_in_scope
from snapshots.recall.loading.loaded_indexes import load_indexes
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import embed_questions
from snapshots.recall.ranking.memory_ranking import list_ids
from snapshots.recall.values import RankedHit, RecalledMemory, join_reasons
from tenants.isolation import tenant_tx


class MemoryIncomplete(Unavailable):
    """A part of recall did not answer while the memory was read: figures would judge the outage, not the policy."""

    code = "memory_incomplete"


@dataclass(frozen=True, slots=True)
class LoadedMemory:
    """One memory of a subject: its words, their size in tokens by the evaluation's own rule, and its messages' ids."""

    id: UUID
    text: str
    tokens: int
    message_ids: frozenset[str]
    said_at: datetime | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class LoadedQuestion:
    """A question with its vectors by embedding space, and the worth of each memory to it.

    ``brought`` holds, by memory, the numbers of the evidence turns among its sources; ``occurring`` holds, per evidence
    turn, the pieces that occur in the memory, as bits. Both omit memories that are worth nothing.
    """

    question: DatasetQuestion
    asked_at: datetime
    vectors: Mapping[str, Float32]
    needs: tuple[EvidenceNeed, ...]
    brought: Mapping[UUID, frozenset[int]]
    occurring: Mapping[UUID, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class LoadedSubject:
    """One subject's memory, as recall sees it, with the questions that are put to it.

    ``relations`` say which words are related; None when no model does.
    """

    subject_id: str
    index: MemoryIndex
    relations: WordRelations | None
    memories: Mapping[UUID, LoadedMemory]
    questions: tuple[LoadedQuestion, ...]


def load_subject(tenant_id: UUID, subject_questions: SubjectQuestions) -> LoadedSubject:
    """Read a subject's memory through the product's own loader and make its questions ready with its own embedder.

    Raises MemoryIncomplete or EmbeddingUnavailable when a model or pgvector does not answer.
    """
    embedders = active_embedders()
    for embedder in embedders:
        if isinstance(embedder, Preparable):
            embedder.prepare()  # a question does not wait until a model is loaded; an evaluation does
    embedded = [embed_questions([question.query], embedders) for question in subject_questions.questions]
    with tenant_tx(tenant_id):
        subject_id = find_subject_id(subject_questions.subject_id)
        loaded = load_indexes(make_reader_in_scope(subject_id), embedders) if subject_id else None
        if loaded is None:
            raise MemoryIncomplete(f"{subject_questions.subject_id} is not there")
        index = loaded.index
        hits = [
            RankedHit(id=memory_id, score=0.0, semantic=0.0) for memory_id in list_ids(index, np.arange(len(index.ids)))
        ]
        memories = {memory.id: _make_loaded_memory(memory) for memory in load_texts(loaded.subject_id, hits)}
    if lacking := join_reasons(loaded.degraded.union(*(without for _, without in embedded))):
        raise MemoryIncomplete(lacking)
    questions = map_questions(subject_questions, [vectors for (vectors,), _ in embedded], list(memories.values()))
    return LoadedSubject(subject_questions.subject_id, index, word_relations(embedders), memories, tuple(questions))


def map_questions(
    subject_questions: SubjectQuestions, embedded: Sequence[Mapping[str, Float32]], memories: Sequence[LoadedMemory]
) -> Iterator[LoadedQuestion]:
    pieces = {memory.id: list_pieces(memory.text) for memory in memories}
    for question, vectors in zip(subject_questions.questions, embedded, strict=True):
        assert question.asked_at is not None  # noqa: S101 - the reader of data sets gives every question a time
        wanted = tuple(build_evidence_need(subject_questions.turns[message_id]) for message_id in question.evidence)
        places = list(enumerate(question.evidence))
        brought = {
            memory.id: frozenset(place for place, message_id in places if message_id in memory.message_ids)
            for memory in memories
        }
        occurring = {memory.id: tuple(_mask_pieces(turn, pieces[memory.id]) for turn in wanted) for memory in memories}
        yield LoadedQuestion(
            question=question,
            asked_at=question.asked_at,
            vectors=vectors,
            needs=wanted,
            brought={memory_id: turns for memory_id, turns in brought.items() if turns},
            occurring={memory_id: bits for memory_id, bits in occurring.items() if any(bits)},
        )


def _make_loaded_memory(memory: RecalledMemory) -> LoadedMemory:
    said = frozenset(source.message_id for source in memory.sources if source.message_id)
    return LoadedMemory(memory.id, memory.text, estimate_tokens(memory.text), said, memory.said_at, memory.name)


def _mask_pieces(turn: EvidenceNeed, pieces: frozenset[tuple[str, ...]]) -> int:
    return sum(1 << place for place, piece in enumerate(turn.pieces) if piece in pieces)
