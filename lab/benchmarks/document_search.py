"""How long a search of documents takes, by the number of a tenant's chunks, in multiples of ``SELECT 1``.

The chunks are windows of real pages, so that words and vectors are spread as in use; they go into the index through the
product's own functions. Other tenants with documents of their own stand beside.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from uuid import UUID

from django.db import connection

from memory_platform.kernel.ids import new_id
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.knowledge.index.chunk_index import find_part, prepare_index_rows, store_index_rows
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentQuery, DocumentScope
from snapshots.models import Chunk, Document
from tenants.isolation import tenant_tx

BATCH = 1_000
WORDS_LEAST, WORDS_MOST, QUESTION_WORDS = 60, 180, 8
SEED = 7


@dataclass(frozen=True, slots=True)
class SearchTimes:
    """Milliseconds of searches among ``chunks`` chunks, and of ``SELECT 1`` between them."""

    chunks: int
    select_ms: float
    median_ms: float
    p95_ms: float

    def render(self) -> str:
        ratio = self.median_ms / self.select_ms
        return (
            f"{self.chunks:>9,} chunks: p50 {self.median_ms:.1f} ms, p95 {self.p95_ms:.1f} ms; "
            f"SELECT 1 {self.select_ms:.2f} ms; ratio {ratio:.0f}"
        )


@dataclass(frozen=True, slots=True)
class ContextTimes:
    """Milliseconds of contexts beside ``chunks`` chunks: without documents, with them, and of the search alone; p50."""

    chunks: int
    without_ms: float
    with_ms: float
    search_ms: float

    def render(self) -> str:
        added = self.with_ms - self.without_ms
        return (
            f"{self.chunks:>9,} chunks: a context p50 {self.without_ms:.1f} ms without documents, "
            f"{self.with_ms:.1f} ms with them, {added:.1f} ms more; the search {self.search_ms:.1f} ms"
        )


def read_words(folder: Path, pattern: str = "*.md") -> list[str]:
    """Return the words of all pages below ``folder``, in order."""
    return [word for path in sorted(folder.rglob(pattern)) for word in path.read_text(errors="replace").split()]


def fill_documents(
    tenant_id: UUID, words: Sequence[str], count: int, *, seed: int = SEED, advance: Callable[[int], object]
) -> None:
    """Add ``count`` chunks to a tenant, a document for each thousand."""
    windows = make_windows(words, seed)
    for start in range(0, count, BATCH):
        texts = list(islice(windows, min(BATCH, count - start)))
        chunks = [(new_id(), f"Page {start}", text) for text in texts]
        rows = prepare_index_rows(chunks)
        with tenant_tx(tenant_id):
            document = Document.objects.create(
                external_id=f"bench-{seed}-{new_id()}", content_type="text/markdown", byte_count=0, content_hash=b""
            )
            Chunk.objects.bulk_create(
                Chunk(
                    id=chunk_id,
                    document=document,
                    position=2 * position,
                    text=text,
                    place=place,
                    start=0,
                    end=len(text),
                    token_count=len(text) // 4,
                    content_hash=hashlib.sha256(text.encode()).digest(),
                )
                for position, (chunk_id, place, text) in enumerate(chunks)
            )
            store_index_rows(find_part(None), rows)
        advance(len(texts))


def measure_contexts(
    tenant_id: UUID, subject_external_id: str, words: Sequence[str], chunks: int, *, count: int = 60
) -> ContextTimes:
    """Make ``count`` contexts without documents and as many with them, in turns, each pair for the same question."""
    times: dict[bool, list[float]] = {False: [], True: []}
    searches = []
    for question in make_questions(words, count):
        for with_documents, spent in times.items():
            scope = DocumentScope() if with_documents else None
            asked = ContextCall(ContextRequest(question), "1", knowledge=scope)
            began = perf_counter()
            made = build_context(tenant_id, subject_external_id, asked)
            spent.append((perf_counter() - began) * 1000)
            if with_documents:
                searches.append(made.timings_ms["documents"])
    return ContextTimes(chunks, median(times[False]), median(times[True]), median(searches))


def make_questions(words: Sequence[str], count: int) -> Iterator[str]:
    """Yield ``count`` questions of some words that follow each other in the pages."""
    choose = random.Random(SEED + 1)  # noqa: S311 -- questions of a benchmark
    for _ in range(count):
        at = choose.randrange(len(words) - QUESTION_WORDS)
        yield " ".join(words[at : at + QUESTION_WORDS])


def measure_searches(tenant_id: UUID, words: Sequence[str], chunks: int, *, count: int = 60) -> SearchTimes:
    """Search ``count`` times, each time for other words of the pages, with ``SELECT 1`` before each."""
    select_ms, search_ms = [], []
    for question in make_questions(words, count):
        began = perf_counter()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
        select_ms.append((perf_counter() - began) * 1000)
        began = perf_counter()
        search_documents(tenant_id, DocumentQuery(question))
        search_ms.append((perf_counter() - began) * 1000)
    return SearchTimes(chunks, median(select_ms), median(search_ms), quantiles(search_ms, n=20)[-1])


def make_windows(words: Sequence[str], seed: int) -> Iterator[str]:
    """Yield pieces of the pages, of random lengths at random places, for ever."""
    choose = random.Random(seed)  # noqa: S311 -- texts of a benchmark
    while True:
        at = choose.randrange(len(words) - WORDS_MOST)
        yield " ".join(words[at : at + choose.randint(WORDS_LEAST, WORDS_MOST)])
