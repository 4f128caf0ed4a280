"""Ada's memory, packed as the index packs it, for tests of the recall kernel."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

from memory_platform.providers.embedders.hashing import HashingEmbedder
from snapshots.embedding.index_row_packing import pack_postings, pack_vector_pair
from snapshots.embedding.indexed_text import SpokenTurn, index_text
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy, ScoringPolicy
from snapshots.recall.memory_indexes.memory_index import MemoryIndex, build_index
from snapshots.recall.question import Probe, make_probe, resolve_probe_times
from snapshots.recall.ranking.memory_ranking import rank_memories
from snapshots.recall.values import MemoryRow, RankedHit, RecallQuery

NOW = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)
EMBEDDER = HashingEmbedder(dimensions=64)
_IDS = UUID("00000000-0000-5000-8000-000000000000")


def memory(text: str, *, embed: bool = True, previous: str | None = None, **columns: object) -> MemoryRow:
    """Return one memory whose id follows from its text; said an hour ago unless ``columns`` say otherwise."""
    said_at = columns.pop("said_at", NOW - timedelta(hours=1))
    assert said_at is None or isinstance(said_at, datetime)
    name = columns.get("name")
    assert name is None or isinstance(name, str)
    indexed = index_text(SpokenTurn(text, name, said_at), previous=SpokenTurn(previous) if previous else None)
    dense = pack_vector_pair(*EMBEDDER.embed([indexed.dated, indexed.continued])) if embed else None
    plain = MemoryRow(
        id=id_of(text),
        kind="statement",
        lex=pack_postings(indexed),
        dense=dense,
        space=EMBEDDER.name,
        said_at=said_at,
        created_at=NOW,
        saying=indexed.saying,
    )
    return replace(plain, **columns)  # type: ignore[arg-type]


def conversation(*texts: str, conversation_id: str = "c1", name: str | None = None) -> list[MemoryRow]:
    """Return the memories of one conversation, in order."""
    return [memory(text, conversation_id=conversation_id, seq=i, name=name) for i, text in enumerate(texts)]


def id_of(text: str) -> UUID:
    """Return the id of the memory of ``text``."""
    return uuid5(_IDS, text)


def index_of(rows: Sequence[MemoryRow]) -> MemoryIndex:
    """Return the index of ``rows`` in the hashing space."""
    return build_index(rows, {EMBEDDER.name: EMBEDDER.dimensions})


def probe_of(text: str, *, dense: bool = True) -> Probe:
    """Return the probe of a question, with its vector in the hashing space unless ``dense`` is off."""
    vectors = {EMBEDDER.name: EMBEDDER.embed([text])[0]} if dense else {}
    return make_probe(text, vectors, ScoringPolicy())


def ask(
    text: str, index: MemoryIndex, policy: RecallPolicy = DEFAULT_RECALL, *, dense: bool = True, **query: object
) -> list[RankedHit]:
    """Return what ``index`` answers to ``text``, now, explained."""
    asked = RecallQuery(text=text, asked_at=NOW, explain=True, **query)  # type: ignore[arg-type]
    return rank_memories(asked, resolve_probe_times(probe_of(text, dense=dense), text, asked.read_at), index, policy)
