"""Other memory stores in the same run: on the same Postgres, in a database of their own that ends with the run."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from tempfile import TemporaryDirectory
from uuid import UUID

from django.db import connections
from psycopg import sql
from psycopg.conninfo import make_conninfo

from lab.benchmarks.load.client_processes import Program, ProgramGone, merge_replies
from lab.benchmarks.load.load_target import TOP_K
from lab.benchmarks.load.measurement_rounds import ASKS_A_SECOND, WARM, Bench, Cell, Measure
from lab.benchmarks.load.protocol import AskFailed, Stages, repeat_requests
from lab.benchmarks.load.timings import Slice
from memory_platform.env.environment import environment
from memory_platform.kernel.clock import utc_now
from snapshots.models import Snapshot
from snapshots.recall.pipeline import recall
from snapshots.recall.question import Stopwatch
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx

DATABASE = "memory_bench_peers"
STORES = ("mem0 on pgvector", "mem0 on qdrant (local)", "LangGraph PostgresStore")
OURS = "recall, called in process"
MODULE = "lab.benchmarks.peer_program"


@dataclass(frozen=True, slots=True)
class PeerSeen:
    """One store of the run: its version, or why it could not be measured."""

    store: str
    version: str = ""
    notes: str = ""
    refused: str = ""


def load_texts(tenant_id: UUID, subject: str) -> list[str]:
    with tenant_tx(tenant_id):
        held = Snapshot.objects.filter(subject__external_id=subject).order_by("position")
        return list(held.values_list("text", flat=True))


def open_peers(
    python: str, texts: Sequence[str], bench: Bench, stack: ExitStack
) -> tuple[Mapping[Cell, Measure], list[PeerSeen]]:
    """Start each store in a process of its own, filled with ``texts``; ``stack`` ends them. Return their cells."""
    folder = stack.enter_context(TemporaryDirectory(prefix="bench-peers-"))
    address = stack.enter_context(create_peer_database())
    measures: dict[Cell, Measure] = {}
    seen = []
    for number, store in enumerate(STORES):
        own = f"{folder}/{number}"
        program = stack.enter_context(Program(MODULE, python, "MEM0_TELEMETRY=False", f"MEM0_DIR={own}"))
        peer = open_store(program, store, {"address": address, "folder": own, "texts": texts})
        seen.append(peer)
        if not peer.refused:
            measures[Cell(store, 1, len(texts), WARM)] = make_peer_measure(program, bench)
    return measures, seen


def open_store(program: Program, store: str, order: Mapping[str, object]) -> PeerSeen:
    try:
        program.send_order({"kind": "open", "store": store, **order})
        return PeerSeen(store, **program.read_reply())
    except ProgramGone:
        return PeerSeen(store, refused="its program ended")


def make_peer_measure(program: Program, bench: Bench) -> Measure:
    def measure(_: Cell) -> Slice:
        program.send_order(
            {"kind": "ask", "questions": take_questions(bench), "top_k": TOP_K, "seconds": bench.seconds}
        )
        return merge_replies([program.read_reply()])

    return measure


def make_recall_measure(tenant_id: UUID, subject: str, bench: Bench) -> Measure:
    """Return how our own recall is measured the way the others are: as a function, without HTTP and keys."""

    def measure(_: Cell) -> Slice:
        asked = take_questions(bench)
        recall(tenant_id, subject, RecallQuery(text=asked[0], asked_at=utc_now(), top_k=TOP_K))

        def ask(number: int) -> tuple[float, Stages]:
            with (watch := Stopwatch()).stage("recall"):
                found = recall(tenant_id, subject, RecallQuery(text=asked[number], asked_at=utc_now(), top_k=TOP_K))
            if not found.memories:
                raise AskFailed
            return watch.ms["recall"] / 1000, found.timings_ms

        return merge_replies([repeat_requests(ask, len(asked), bench.seconds)])

    return measure


def take_questions(bench: Bench) -> list[str]:
    return list(islice(bench.asked, int(ASKS_A_SECOND * bench.seconds) + 1))


@contextmanager
def create_peer_database() -> Iterator[str]:
    """Make the peers' database as the owner, with pgvector from the template; drop it at the end."""
    name = sql.Identifier(DATABASE)
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        cursor.execute(sql.SQL("CREATE DATABASE {}").format(name))
    try:
        yield make_conninfo(environment().database_owner_url, dbname=DATABASE)
    finally:
        with connections["owner"].cursor() as cursor:
            cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
