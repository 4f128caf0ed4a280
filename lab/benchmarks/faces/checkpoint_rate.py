"""How many checkpoints a minute a stack on this machine stores by LangGraph's saver, beside the floor: as many bytes
by bare INSERTs.

The processor time of a checkpoint, of the client, the web processes and Postgres together, says what idle processors
would do: a process that waits for its turn spends none.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil
import psycopg

from lab.benchmarks.faces.graph_states import GraphRun
from lab.benchmarks.load.load_target import MeasuredStack
from lab.benchmarks.unit_costs import measure_since, read_processor_times
from memory_platform.kernel.ids import new_id
from memory_platform_client.langgraph import MemoryPlatformSaver

CLIENT = "client"
PARTS = (CLIENT, "web", "postgres")
HEAD = (
    "| stored by | a minute | client, ms | web, ms | Postgres, ms | all, ms | a minute on two idle cores |\n|"
    + 7 * "---|"
)
TWO_CORES_MINUTE_MS = 2 * 60_000
MAKE_FLOOR = "CREATE TABLE bench_floor (id uuid PRIMARY KEY, body bytea)"
REMOVE_FLOOR = "DROP TABLE IF EXISTS bench_floor"
INSERT = "INSERT INTO bench_floor VALUES (%s, %b)"
SEED = 11

Store = Callable[[], object]


@dataclass(slots=True)
class StoringRounds:
    """All rounds of one way to store: checkpoints, seconds, and seconds of processor time by part."""

    way: str
    stores: Sequence[Store]
    count: int = 0
    wall_s: float = 0.0
    cpu_s: Counter[str] = field(default_factory=Counter)

    def run(self, pool: ThreadPoolExecutor, seconds: float, processes: Sequence[psutil.Process]) -> None:
        """Store for ``seconds``, in each thread of the pool by a store of its own."""
        before, own, began = read_processor_times(processes), time.process_time(), time.perf_counter()
        self.count += sum(pool.map(lambda store: repeat_store(store, began + seconds), self.stores))
        self.wall_s += time.perf_counter() - began
        self.cpu_s.update({**measure_since(before, processes), CLIENT: time.process_time() - own})

    def render_row(self) -> str:
        """Return a row of the table: the rate, and milliseconds of processor time of a checkpoint."""
        each = [1_000 * self.cpu_s[part] / self.count for part in PARTS]
        cells = [f"{60 * self.count / self.wall_s:,.0f}", *(f"{one:.2f}" for one in each)]
        return f"| {self.way} | {' | '.join(cells)} | {sum(each):.2f} | {TWO_CORES_MINUTE_MS / sum(each):,.0f} |"


def repeat_store(store: Store, until: float) -> int:
    """Store again and again until a moment; return how often."""
    count = 0
    while time.perf_counter() < until:
        store()
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class RatePlan:
    """``rounds`` of each way, ``seconds`` long, by ``threads`` threads of the client."""

    threads: int = 4
    rounds: int = 3
    seconds: float = 10.0


def measure_checkpoints(
    target: MeasuredStack,
    owner_url: str,
    processes: Sequence[psutil.Process],
    plan: RatePlan,
    *,
    advance: Callable[[int], object],
) -> list[StoringRounds]:
    """Store checkpoints and bare rows in turns."""
    saver, batch = MemoryPlatformSaver(f"http://{target.host}:{target.port}", target.key), new_id()
    runs = [GraphRun(saver, f"rate-{batch}-{number}") for number in range(plan.threads)]
    for run in runs:
        run.put()
    size = runs[0].measure_bytes()
    with ThreadPoolExecutor(plan.threads) as pool, open_floor(owner_url, plan.threads, size) as inserts:
        ways = [StoringRounds("saver `put`", [run.put for run in runs]), StoringRounds("bare INSERT", inserts)]
        for _ in range(plan.rounds):
            for way in ways:
                way.run(pool, plan.seconds, processes)
                advance(1)
    saver.close()
    return ways


@contextmanager
def open_floor(owner_url: str, connections: int, size: int) -> Iterator[list[Store]]:
    """Yield functions that insert a row of ``size`` bytes and commit, each by a connection of its own."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(REMOVE_FLOOR)
        owner.execute(MAKE_FLOOR)
        opened = [psycopg.connect(owner_url, autocommit=True) for _ in range(connections)]
        try:
            yield [make_insert(one, size) for one in opened]
        finally:
            for one in opened:
                one.close()
            owner.execute(REMOVE_FLOOR)


def make_insert(connection: "psycopg.Connection[tuple[object, ...]]", size: int) -> Store:
    body = random.Random(SEED).randbytes(size)  # noqa: S311 - a reproducible draw, no secret
    return lambda: connection.execute(INSERT, (new_id(), body), prepare=True)
