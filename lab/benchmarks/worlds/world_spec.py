"""Which subjects a world has, how many snapshots each of them holds, and which talks they are."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from lab.benchmarks.worlds.sentences import TURNS
from memory_platform.kernel.errors import FieldFault, InvalidInput

OTHERS = "other"
PREFIX = "bench"


@dataclass(frozen=True, slots=True)
class Cohort:
    """``count`` subjects that hold exactly ``size`` snapshots each."""

    count: int
    size: int

    @property
    def snapshots(self) -> int:
        return self.count * self.size


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """A world: the cohorts, and so many other subjects that share the rest of ``snapshots`` as evenly as can be.

    ``pool`` is the number of distinct sentences; every subject holds a shuffled choice of the pool's talks.
    """

    snapshots: int = 1_000_000
    subjects: int = 20_000
    cohorts: tuple[Cohort, ...] = (Cohort(10, 10_000), Cohort(200, 1_000), Cohort(1_000, 100))
    pool: int = 20_000
    seed: int = 1

    @property
    def talks(self) -> int:
        return self.pool // TURNS


@dataclass(frozen=True, slots=True)
class PlannedSubject:
    """One subject: the product's id, its size, and the number of its first snapshots' talk and of those after it."""

    external_id: str
    size: int
    talks: tuple[int, ...]


def make_subject_name(cohort: int | str, number: int) -> str:
    """Return a subject's id, such as ``bench-1000-00007``."""
    return f"{PREFIX}-{cohort}-{number:05d}"


def check_spec(spec: WorldSpec) -> WorldSpec:
    """Return ``spec``. Raises InvalidInput when its cohorts exceed it or the pool cannot fill its largest subject."""
    sizes = list_subject_sizes(spec) if _count_other_subjects(spec) >= 0 else []
    largest = max((size for _, size in sizes), default=0)
    subjects = sum(one.count for one in spec.cohorts)
    snapshots = sum(one.snapshots for one in spec.cohorts)
    of_all = "of the cohorts (--large, --medium, --small) together"
    faults = [
        (subjects > spec.subjects, "subjects", f"{spec.subjects:,} are fewer than the {subjects:,} {of_all}"),
        (
            _count_remaining_snapshots(spec) < 0,
            "snapshots",
            f"{spec.snapshots:,} are fewer than the {snapshots:,} {of_all}",
        ),
        (
            _count_remaining_snapshots(spec) > 0 and _count_other_subjects(spec) == 0,
            "snapshots",
            f"{spec.snapshots:,} are more than the {snapshots:,} {of_all}, and --subjects leaves nobody for the rest",
        ),
        (spec.pool % TURNS != 0, "pool", f"{spec.pool:,} is no multiple of {TURNS}"),
        (largest > spec.pool, "pool", f"{spec.pool:,} is less than the {largest:,} sentences of the largest subject"),
    ]
    found = [FieldFault(field, "impossible", message) for wrong, field, message in faults if wrong]
    if found:
        raise InvalidInput("; ".join(f"--{one.field} {one.message}" for one in found), faults=found)
    return spec


def list_subject_sizes(spec: WorldSpec) -> list[tuple[str, int]]:
    """Return the ids of all subjects with their sizes, largest cohort first."""
    named = [
        (make_subject_name(cohort.size, number), cohort.size)
        for cohort in sorted(spec.cohorts, key=lambda one: -one.size)
        for number in range(1, cohort.count + 1)
    ]
    return named + [
        (make_subject_name(OTHERS, number), size)
        for number, size in enumerate(_split_remaining_snapshots(spec), 1)
        if size
    ]


def plan_subjects(spec: WorldSpec) -> Iterator[PlannedSubject]:
    """Yield the subjects of a world. Each is drawn independently of the others."""
    for external_id, size in list_subject_sizes(spec):
        random = Random(f"{spec.seed} {external_id}")  # noqa: S311 - a reproducible draw, no secret
        chosen = random.sample(range(spec.talks), math.ceil(size / TURNS))
        yield PlannedSubject(external_id, size, tuple(chosen))


def cohort_ids(names: Sequence[str], size: int) -> list[str]:
    return sorted(name for name in names if name.startswith(f"{PREFIX}-{size}-"))


def parse_cohort(text: str) -> Cohort:
    """Return ``10x10000`` as a cohort. Raises ValueError."""
    count, _, size = text.partition("x")
    cohort = Cohort(int(count), int(size))
    if cohort.count < 1 or cohort.size < 1:
        raise ValueError(text)
    return cohort


def _count_remaining_snapshots(spec: WorldSpec) -> int:
    return spec.snapshots - sum(one.snapshots for one in spec.cohorts)


def _count_other_subjects(spec: WorldSpec) -> int:
    return spec.subjects - sum(one.count for one in spec.cohorts)


def _split_remaining_snapshots(spec: WorldSpec) -> list[int]:
    others = _count_other_subjects(spec)
    if not others:
        return []
    each, more = divmod(_count_remaining_snapshots(spec), others)
    return [each + (number < more) for number in range(others)]
