"""How long a search of documents takes, by the number of a tenant's chunks, in milliseconds on the clock and of
processor time, and in multiples of ``SELECT 1``."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter, process_time
from uuid import UUID

import psutil
from django.db import connection

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentQuery, DocumentScope

QUESTION_WORDS = 8
SEED = 8


@dataclass(frozen=True, slots=True)
class SearchTimes:
    """Milliseconds of searches among ``chunks`` chunks, and of ``SELECT 1`` between them. ``own_ms`` and ``server_ms``
    are the mean processor time of this process and of its server process, which has to run on this machine."""

    chunks: int
    select_ms: float
    median_ms: float
    p95_ms: float
    own_ms: float
    server_ms: float

    def render(self) -> str:
        ratio = self.median_ms / self.select_ms
        return (
            f"{self.chunks:>9,} chunks: p50 {self.median_ms:.1f} ms, p95 {self.p95_ms:.1f} ms; "
            f"processor {self.own_ms:.1f} ms here, {self.server_ms:.1f} ms in Postgres; "
            f"SELECT 1 {self.select_ms:.2f} ms, ratio {ratio:.0f}; load {psutil.getloadavg()[0]:.1f}"
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
    choose = random.Random(SEED)  # noqa: S311 -- questions of a benchmark
    for _ in range(count):
        at = choose.randrange(len(words) - QUESTION_WORDS)
        yield " ".join(words[at : at + QUESTION_WORDS])


def measure_searches(tenant_id: UUID, words: Sequence[str], chunks: int, *, count: int = 60) -> SearchTimes:
    """Search ``count`` times, each time for other words of the pages, with ``SELECT 1`` before each."""
    connection.ensure_connection()
    server = psutil.Process(connection.connection.info.backend_pid)
    select_ms, search_ms, own_s, server_s = [], [], 0.0, 0.0
    for question in make_questions(words, count):
        began = perf_counter()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
        select_ms.append((perf_counter() - began) * 1000)
        began, own, served = perf_counter(), process_time(), sum(server.cpu_times()[:2])
        search_documents(tenant_id, DocumentQuery(question))
        search_ms.append((perf_counter() - began) * 1000)
        own_s += process_time() - own
        server_s += sum(server.cpu_times()[:2]) - served
    spent = (1000 * own_s / count, 1000 * server_s / count)
    return SearchTimes(chunks, median(select_ms), median(search_ms), quantiles(search_ms, n=20)[-1], *spent)
