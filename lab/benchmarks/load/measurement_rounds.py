"""The rounds of a run: every cell has its turn in each of them, in an order drawn anew, so that a busy moment of the
machine hits all alike."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from random import Random
from time import perf_counter

from lab.benchmarks.load.client_processes import Crew
from lab.benchmarks.load.load_target import MeasuredStack, RequestSpec, make_context_request, make_recall_request
from lab.benchmarks.load.timings import Slice
from lab.benchmarks.worlds.sentences import make_questions
from memory_platform.kernel.ids import new_id

SELECT, LIVE, RECALL, CONTEXT = "SELECT 1", "GET /health/live", "recall", "context"
WARM, COLD, WRITTEN = "warm", "cold", "just written"
# Subjects of a size that are asked again and again, or half of them where there are fewer than twice as many.
HOT = 4

WRITERS = 16
COLD_MOST = 50
# Questions made ready for one second of a cell, shared among its clients; more answers than that repeat some.
ASKS_A_SECOND = 600


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of the table: the request, the number of parallel clients, and the subjects' size and state."""

    what: str
    clients: int = 1
    size: int = 0
    state: str = ""

    @property
    def is_pooled(self) -> bool:
        """Whether a round brings so few answers that those of all rounds are taken together."""
        return self.state in {COLD, WRITTEN}


@dataclass(slots=True)
class Cohorts:
    """The subjects of each size: those asked again and again, and those that were not asked yet."""

    hot: Mapping[int, Sequence[str]]
    fresh: dict[int, list[str]]
    writers: Mapping[int, Sequence[str]]

    def take_fresh(self, size: int, number: int) -> list[str]:
        """Return so many subjects that nobody asked about yet; they are never returned again."""
        taken, self.fresh[size] = self.fresh[size][:number], self.fresh[size][number:]
        return taken


@dataclass
class Bench:
    """The clients and subjects of a run. ``seconds`` is the length of a cell in each round."""

    crew: Crew
    target: MeasuredStack
    database: str
    cohorts: Cohorts
    seconds: float
    rounds: int
    seed: int = 1
    settled_ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.asked = make_questions(self.seed)
        self.share_of_fresh: dict[int, int] = {}
        self.random = Random(self.seed)  # noqa: S311 - an order, no secret

    def measure(self, cell: Cell) -> Slice | None:
        """Measure one cell once; None when there are not enough subjects for it."""
        if cell.what == SELECT:
            order = {"kind": "select", "address": self.database, "seconds": self.seconds}
            return self.crew.run_orders([order] * cell.clients)
        if cell.what == LIVE:
            live: list[RequestSpec] = [("GET", "/health/live", None)]
            return self.crew.run_orders([self.target.make_order(live, self.seconds)] * cell.clients)
        return {WARM: self.measure_warm, COLD: self.measure_cold, WRITTEN: self.measure_written}[cell.state](cell)

    def measure_warm(self, cell: Cell) -> Slice:
        """Ask about subjects whose indexes the answering processes hold, for ``seconds``."""
        subjects = self.cohorts.hot[cell.size]
        self.measure_one_request_each(cell, [subjects] * cell.clients)  # each client's connection leads to one process
        number = int(ASKS_A_SECOND * self.seconds / cell.clients) + 1
        orders = [
            self.target.make_order(
                self.make_requests(cell, list(islice(cycle(subjects), first, first + number))), self.seconds
            )
            for first in range(cell.clients)
        ]
        return self.crew.run_orders(orders)

    def measure_cold(self, cell: Cell) -> Slice | None:
        """Ask once about each of some subjects that nobody asked about since the stack started."""
        share = min(self.share_of_fresh.get(cell.size, 0), COLD_MOST)
        if share < cell.clients:
            return None
        fresh = self.cohorts.take_fresh(cell.size, share)
        return self.measure_one_request_each(cell, [fresh[first :: cell.clients] for first in range(cell.clients)])

    def measure_written(self, cell: Cell) -> Slice | None:
        """Post a message to subjects whose indexes are held, wait until it is remembered, and ask once; repeat for
        ``seconds``. Delete the posted messages at the end."""
        subjects = self.cohorts.writers[cell.size][: max(cell.clients, HOT)]
        if len(subjects) < cell.clients:
            return None
        dealt = [subjects[first :: cell.clients] for first in range(cell.clients)]
        conversation, began, slices = f"bench-{new_id()}", perf_counter(), list[Slice]()
        try:
            while not slices or perf_counter() - began < self.seconds:
                self.measure_one_request_each(cell, dealt)
                for subject in subjects:
                    self.settled_ms.append(self.target.post_message(subject, conversation, next(self.asked)))
                slices.append(self.measure_one_request_each(cell, dealt))
        finally:
            for subject in subjects:
                self.target.delete_conversation(subject, conversation)
        return add_slices(slices)

    def measure_one_request_each(self, cell: Cell, dealt: Sequence[Sequence[str]]) -> Slice:
        return self.crew.run_orders(
            [self.target.make_order(self.make_requests(cell, subjects), None) for subjects in dealt]
        )

    def make_requests(self, cell: Cell, subjects: Sequence[str]) -> list[RequestSpec]:
        make = make_recall_request if cell.what == RECALL else make_context_request
        return [make(subject, next(self.asked)) for subject in subjects]

    def allot_fresh_subjects(self, cells: Sequence[Cell]) -> None:
        """Divide the fresh subjects of each size evenly among the cells that need them in all rounds.

        Where they do not reach, cells of many clients go without.
        """
        for size in {cell.size for cell in cells if cell.state == COLD}:
            fresh = len(self.cohorts.fresh[size]) // self.rounds
            wanting = sorted(cell.clients for cell in cells if (cell.state, cell.size) == (COLD, size))
            while wanting and fresh // len(wanting) < wanting[-1]:
                wanting.pop()
            self.share_of_fresh[size] = fresh // len(wanting) if wanting else 0


Measure = Callable[[Cell], Slice | None]


def run_rounds(
    bench: Bench, cells: Sequence[Cell], others: Mapping[Cell, Measure], *, advance: Callable[[int], object]
) -> dict[Cell, list[Slice]]:
    """Measure ``cells`` of the bench and those of ``others`` in every round; ``advance`` hears of each."""
    bench.allot_fresh_subjects(cells)
    found: dict[Cell, list[Slice]] = defaultdict(list)
    turns: list[tuple[Cell, Measure]] = [*((cell, bench.measure) for cell in cells), *others.items()]
    for _ in range(bench.rounds):
        for cell, measure in bench.random.sample(turns, len(turns)):
            if (measured := measure(cell)) is not None:
                found[cell].append(measured)
            advance(1)
    return dict(found)


def list_cells(sizes: Sequence[int], clients: Sequence[int]) -> list[Cell]:
    """Return every cell of a run over HTTP, floors first.

    Cold and just written are asked by recall alone: a context waits for the same index.
    """
    floors = [Cell(what, number) for what in (SELECT, LIVE) for number in clients]
    warm = [Cell(what, number, size, WARM) for what in (RECALL, CONTEXT) for size in sizes for number in clients]
    rare = [Cell(RECALL, number, size, state) for state in (COLD, WRITTEN) for size in sizes for number in clients]
    return floors + warm + rare


def split_cohorts(subjects: Mapping[int, Sequence[str]]) -> Cohorts:
    """Deal the subjects of each size into those asked again and again, and those kept fresh."""
    hot = {size: names[: max(1, min(HOT, len(names) // 2))] for size, names in subjects.items()}
    writers = {size: names[: max(1, min(WRITERS, len(names) // 2))] for size, names in subjects.items()}
    fresh = {size: list(names[len(writers[size]) :]) for size, names in subjects.items()}
    return Cohorts(hot, fresh, writers)


def add_slices(slices: Sequence[Slice]) -> Slice:
    return Slice(
        tuple(ms for one in slices for ms in one.ms),
        sum(one.wall_s for one in slices),
        sum(one.cpu_s for one in slices),
        sum(one.failed for one in slices),
        tuple(stages for one in slices for stages in one.stages),
    )
