"""One run from beginning to end: a key, the subjects, the clients, the peers, the rounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from lab.benchmarks.load.client_processes import start_crew
from lab.benchmarks.load.load_target import TOP_K, parse_target
from lab.benchmarks.load.measurement_rounds import WARM, Bench, Cell, Measure, list_cells, run_rounds, split_cohorts
from lab.benchmarks.peer_stores import OURS, PeerSeen, load_texts, make_recall_measure, open_peers
from lab.benchmarks.report import describe_machine, describe_run
from lab.benchmarks.worlds.world_builder import POOL
from lab.benchmarks.worlds.world_spec import cohort_ids
from lab.evaluation.run_file import read_code_version
from memory_platform.env.environment import environment
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.models import Snapshot
from tenants.errors import TenantUnknown
from tenants.isolation import tenant_tx
from tenants.models import Scope
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key, revoke_key
from tenants.services.usage.quotas import set_limits

PEER_SIZE = 1_000
KEY_LIFE = timedelta(days=1)
# Requests a second of the run's own key: what is measured is the platform, not its limits.
UNBOUND = 1_000_000


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The options of a run. ``peers_python`` is the interpreter with the group ``bench``, None for no peers."""

    base: str
    clients: tuple[int, ...] = (1, 4, 16)
    sizes: tuple[int, ...] = (100, 1_000, 10_000)
    seconds: float = 2.0
    rounds: int = 3
    peers_python: str | None = None


class WorldMissing(NotFound):
    """The tenant holds no subjects of a size that is to be measured."""

    code = "world_missing"


def run_benchmark(
    tenant_id: UUID, plan: RunPlan, key: str | None, *, start: Callable[[int], Callable[[int], object]]
) -> dict[str, Any]:
    """Measure, and return the run as plain values. ``start`` takes the number of turns and returns their counter.

    Raises WorldMissing, MeasurementRefused, or ProgramGone.
    """
    subjects = load_subjects_by_size(tenant_id, plan.sizes)
    with ExitStack() as stack:
        bench = Bench(
            start_crew(max(plan.clients), stack),
            parse_target(plan.base, key or stack.enter_context(create_temporary_key(tenant_id))),
            environment().database_url,
            split_cohorts(subjects),
            plan.seconds,
            plan.rounds,
        )
        where, cells = describe_machine(), list_cells(plan.sizes, plan.clients)
        others, peers = measure_peers(tenant_id, plan, bench, subjects, stack)
        advance = start(plan.rounds * (len(cells) + len(others)))
        measured = run_rounds(bench, cells, others, advance=advance)
        return describe_run(
            measured,
            peers,
            bench.settled_ms,
            commit=read_code_version(),
            machine=where,
            world=describe_world(tenant_id),
            plan={**asdict(plan), "peers_python": plan.peers_python is not None, "top_k": TOP_K},
        )


def measure_peers(
    tenant_id: UUID, plan: RunPlan, bench: Bench, subjects: Mapping[int, Sequence[str]], stack: ExitStack
) -> tuple[dict[Cell, Measure], list[PeerSeen]]:
    if PEER_SIZE not in subjects:
        return {}, []
    subject = subjects[PEER_SIZE][0]
    own = {Cell(OURS, 1, PEER_SIZE, WARM): make_recall_measure(tenant_id, subject, bench)}
    if plan.peers_python is None:
        return own, []
    found, peers = open_peers(plan.peers_python, load_texts(tenant_id, subject), bench, stack)
    return {**own, **found}, peers


def world_tenant(slug: str) -> UUID:
    """Return the tenant that holds a world. Raises WorldMissing."""
    try:
        return tenant_by_slug(slug).id
    except TenantUnknown:
        raise WorldMissing(f"there is no tenant {slug!r}: run `manage.py bench build` first") from None


def load_subjects_by_size(tenant_id: UUID, sizes: Sequence[int]) -> dict[int, list[str]]:
    """Return the cohort of each size. Raises WorldMissing when one of them is empty."""
    with tenant_tx(tenant_id):
        names = list(Subject.objects.order_by().values_list("external_id", flat=True))
    found = {size: cohort_ids(names, size) for size in sizes}
    if missing := [f"{size:,}" for size, cohort in found.items() if not cohort]:
        raise WorldMissing(f"no subjects of {', '.join(missing)} snapshots: run `manage.py bench build` first")
    return found


def describe_world(tenant_id: UUID) -> dict[str, Any]:
    """Return how large the tenant's world is, without the pool that it was made from."""
    with tenant_tx(tenant_id):
        return {
            "subjects": Subject.objects.exclude(external_id=POOL).count(),
            "snapshots": Snapshot.objects.exclude(subject__external_id=POOL).count(),
            "embedders": [embedder.name for embedder in active_embedders()],
        }


@contextmanager
def create_temporary_key(tenant_id: UUID) -> Iterator[str]:
    with tenant_tx(tenant_id):
        made = create_key(
            name="bench",
            scopes=[Scope.MEMORY_READ, Scope.MEMORY_WRITE],
            by=COMMAND_LINE,
            expires_at=utc_now() + KEY_LIFE,
        )
        set_limits({"requests_per_second": UNBOUND, "burst": UNBOUND}, by=COMMAND_LINE, api_key=made.api_key)
    try:
        yield made.token
    finally:
        with tenant_tx(tenant_id):
            revoke_key(made.api_key, by=COMMAND_LINE)
