"""Fill a tenant with chunks of documents, a million of them in minutes.

The first chunks are windows of real pages that the product's own functions read. Each further one is mixed from two of
them: the text of one, half of the terms of each, a vector between theirs. Their words are spread as those of pages are,
but a word that is rare in real pages is not. Blocks and cells are packed by the product's functions, for many chunks at
once; the rows are written as the app role, under row-level security.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import islice
from pathlib import Path
from uuid import UUID

import numpy as np
from django.db import connection

from memory_platform.kernel.ids import new_id
from memory_platform.providers.contracts import Embedder
from snapshots.embedding.embedding_spaces import ensure_space
from snapshots.knowledge.index.cell_store import write_cells
from snapshots.knowledge.index.chunk_index_writes import find_part, prepare_index_rows
from snapshots.knowledge.index.chunk_terms import unpack_chunk_terms
from snapshots.knowledge.index.config import BLOCKS
from snapshots.knowledge.index.posting_blocks import PackedBlock, pack_blocks
from snapshots.knowledge.index.segment_sealing import count_chunks, lock_part, store_blocks
from snapshots.knowledge.index.vector_cells import pack_vector, split_cell, unpack_vectors
from snapshots.models import Document, IndexPart
from tenants.isolation import current_tenant_id, tenant_tx

# Chunks that are windows of real pages.
REAL_CHUNKS = 10_000
WORDS_LEAST, WORDS_MOST = 60, 180
# Of the vectors of both chunks, in a mixed one.
SHARES = (0.8, 0.6)
SEED = 7

STORE_CHUNKS = """
INSERT INTO document_chunk
  (tenant_id, id, document_id, position, text, place, heading_path, start, "end", token_count, content_hash)
SELECT %s, n.id, %s, 2 * n.number, n.text, '', '{}', 0, length(n.text), length(n.text) / 4,
  sha256(convert_to(n.text, 'UTF8'))
FROM unnest(%s::uuid[], %s::text[]) WITH ORDINALITY AS n(id, text, number)
"""
STORE_ROWS = """
INSERT INTO indexed_chunk
  (tenant_id, id, chunk_id, part, number, segment, position, terms, space_id, vector, cell)
SELECT %s, n.id, n.id, %s, %s + n.place - 1, %s, %s + n.place - 1, n.terms, %s, n.vector, n.cell
FROM unnest(%s::uuid[], %s::bytea[], %s::bytea[], %s::uuid[]) WITH ORDINALITY AS n(id, terms, vector, cell, place)
"""


@dataclass(frozen=True, slots=True)
class WorldChunks:
    """Chunks of one embedding space that are not stored yet."""

    texts: list[str]
    terms: list[bytes]
    vectors: list[bytes]

    def __len__(self) -> int:
        return len(self.texts)

    def take_rows(self, start: int, end: int) -> "WorldChunks":
        return WorldChunks(self.texts[start:end], self.terms[start:end], self.vectors[start:end])


@dataclass(frozen=True, slots=True)
class RealChunks:
    """Chunks of real pages, and the model that embedded them."""

    embedder: Embedder
    chunks: WorldChunks


@dataclass(frozen=True, slots=True)
class _RowPlace:
    """Where the first of some index rows stands."""

    part: UUID
    number: int
    segment: int
    position: int
    space: UUID


def read_words(folder: Path, pattern: str = "*.md") -> list[str]:
    """Return the words of all pages below ``folder``, in order."""
    return [word for path in sorted(folder.rglob(pattern)) for word in path.read_text(errors="replace").split()]


def make_real_chunks(words: Sequence[str], count: int, seed: int = SEED) -> RealChunks:
    """Return at most ``count`` chunks that are windows of pages, with the vectors of one model."""
    texts = list(islice(make_windows(words, seed), min(count, REAL_CHUNKS)))
    rows = prepare_index_rows([(new_id(), "", text) for text in texts])
    embedder = next(one.embedder for one in rows if one.embedder)
    kept = [i for i, one in enumerate(rows) if one.embedder is embedder and one.vector]
    chunks = WorldChunks([texts[i] for i in kept], [rows[i].terms for i in kept], [rows[i].vector or b"" for i in kept])
    return RealChunks(embedder, chunks)


def fill_documents(
    tenant_id: UUID, real: RealChunks, count: int, *, seed: int = SEED, advance: Callable[[int], object]
) -> None:
    """Add ``count`` chunks to a tenant, ``real`` ones first, with a document for each batch of them."""
    if count <= 0:
        return
    chunks, embedder = _mix_chunks(real.chunks, count, np.random.default_rng(seed)), real.embedder
    with tenant_tx(tenant_id):
        part = find_part(None)
        state, space = lock_part(part), ensure_space(embedder)
    numbers = range(state.next_number, state.next_number + len(chunks))
    cells = list(split_cell(unpack_vectors(numbers, chunks.vectors)))
    with tenant_tx(tenant_id):
        places = write_cells(part, space, cells)
    cell_of = [places[number] for number in numbers]
    for first in range(0, len(chunks), BLOCKS.positions):
        own = chunks.take_rows(first, first + BLOCKS.positions)
        blocks = _pack_segment(own)
        with tenant_tx(tenant_id):
            segment = lock_part(part).next_segment
            IndexPart.objects.filter(part=part).update(next_segment=segment + 1)
            store_blocks(part, segment, blocks)
            for at in range(0, len(own), BLOCKS.chunks):
                batch, number = own.take_rows(at, at + BLOCKS.chunks), numbers[first + at]
                _store_batch(batch, _RowPlace(part, number, segment, at, space), cell_of[first + at :][: len(batch)])
                advance(len(batch))
            count_chunks(part, added=len(own), numbers=len(own))


def make_windows(words: Sequence[str], seed: int) -> Iterator[str]:
    """Yield pieces of the pages, of random lengths at random places, for ever."""
    choose = random.Random(seed)  # noqa: S311 -- texts of a benchmark
    while True:
        at = choose.randrange(len(words) - WORDS_MOST)
        yield " ".join(words[at : at + choose.randint(WORDS_LEAST, WORDS_MOST)])


def _mix_chunks(real: WorldChunks, count: int, draw: np.random.Generator) -> WorldChunks:
    """Return ``count`` chunks: of ``real``, then made from it."""
    added = max(0, count - len(real))
    pairs = draw.integers(len(real), size=(added, 2)).tolist()
    halves = [_halve_terms(one) for one in real.terms]
    vectors = unpack_vectors(range(len(real)), real.vectors).restore_vectors()
    mixed = (pack_vector(SHARES[0] * vectors[a] + SHARES[1] * vectors[b]) or b"" for a, b in pairs)
    return WorldChunks(
        [*real.texts[:count], *(real.texts[a] for a, _ in pairs)],
        [*real.terms[:count], *(halves[a][0] + halves[b][1] for a, b in pairs)],
        [*real.vectors[:count], *mixed],
    )


def _halve_terms(packed: bytes) -> tuple[bytes, bytes]:
    terms = unpack_chunk_terms(packed)
    is_odd = terms["term"] % 2 == 1
    return terms[~is_odd].tobytes(), terms[is_odd].tobytes()


def _pack_segment(chunks: WorldChunks) -> list[PackedBlock]:
    """Return the blocks that sealing the chunks batch by batch would leave."""
    joined: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for at in range(0, len(chunks), BLOCKS.chunks):
        for one in pack_blocks(chunks.terms[at : at + BLOCKS.chunks], first=at):
            joined[one.bucket, one.tier].append(one.packed)
    return [PackedBlock(bucket, tier, b"".join(packed)) for (bucket, tier), packed in joined.items()]


def _store_batch(chunks: WorldChunks, place: _RowPlace, cells: list[UUID]) -> None:
    document = Document.objects.create(
        external_id=f"bench-{new_id()}", content_type="text/markdown", byte_count=0, content_hash=b""
    )
    ids, tenant = [new_id() for _ in range(len(chunks))], current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(STORE_CHUNKS, [tenant, document.id, ids, chunks.texts])
        cursor.execute(
            STORE_ROWS,
            [tenant, *astuple(place), ids, chunks.terms, chunks.vectors, cells],
        )
