"""The cost of one message, one recall and one context for a stack on this machine, in processor time and in Postgres's
bytes.

Processor time is counted by the kernel for each process, so other programs on the machine falsify it much less than
they falsify rates: a process that waits for its turn spends nothing. What the stack spends on its timetable meanwhile
counts.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import psutil
from django.db import connection

from lab.benchmarks.load.load_target import (
    MeasuredStack,
    MeasurementRefused,
    RequestSpec,
    make_context_request,
    make_recall_request,
    make_subject_path,
)
from lab.benchmarks.worlds.sentences import TURNS, WorldTalk, make_questions, make_talks
from lab.benchmarks.worlds.world_spec import PREFIX
from memory_platform.devstack.processes.stack_commands import MARK
from memory_platform.kernel.ids import new_id

BATCH = 50
SEED = 11
SETTLE_S = 600.0
POLL_S = 0.5
# A process of the stack belongs to the first part whose word stands in its command line.
PARTS = {
    "postgres": "postgres",
    "redis": "redis",
    "valkey": "redis",
    "gunicorn": "web",
    " beat": "beat",
    "celery": "worker",
}
STORED = """
SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


@dataclass(frozen=True, slots=True)
class UnitCost:
    """The cost of ``count`` units: seconds of processor time by part of the stack; ``stored`` bytes, 0 for reads."""

    unit: str
    count: int
    seconds: Mapping[str, float]
    stored: int = 0

    def render_row(self) -> str:
        """Return a row of the table: milliseconds a unit by part, units a second of one core, bytes a unit."""
        total = sum(self.seconds.values())
        parts = [f"{1000 * self.seconds.get(part, 0) / self.count:.1f}" for part in ("web", "worker", "postgres")]
        cells = [self.unit, *parts, f"{1000 * total / self.count:.1f}", f"{self.count / total:.0f}" if total else "–"]
        return f"| {' | '.join([*cells, f'{self.stored / self.count:,.0f}' if self.stored else ''])} |"


HEAD = "| unit | web, ms | worker, ms | Postgres, ms | all, ms | a second and core | bytes |\n|" + 7 * "---|"


def measure_unit_costs(target: MeasuredStack, processes: Sequence[psutil.Process], messages: int) -> Iterator[UnitCost]:
    """Post ``messages`` in talks of new subjects and wait until they are learned; then ask half as many questions of
    each kind. Raises MeasurementRefused."""
    subjects = [f"{PREFIX}-unit-{new_id()}" for _ in range(max(1, messages // TURNS))]
    before, size = read_processor_times(processes), measure_stored_bytes()
    said = make_talks(SEED, len(subjects))
    posted = sum(post_talk(target, subject, talk) for subject, talk in zip(subjects, said, strict=True))
    wait_until_learned(target, subjects)
    yield UnitCost("message, learned", posted, measure_since(before, processes), measure_stored_bytes() - size)
    for unit, make in (("recall of 10", make_recall_request), ("context", make_context_request)):
        asked = make_questions(SEED)
        orders: list[RequestSpec] = [
            make(subjects[number % len(subjects)], question)
            for number, question in enumerate(islice(asked, max(1, messages // 2)))
        ]
        for order in orders[: len(subjects)]:  # indexes are loaded before the measurement
            target.send_request(*order)
        before = read_processor_times(processes)
        for order in orders:
            target.send_request(*order)
        yield UnitCost(unit, len(orders), measure_since(before, processes))


def post_talk(target: MeasuredStack, subject: str, talk: WorldTalk) -> int:
    """Post one talk of a subject in batches; return how many messages it has."""
    turns = [{"role": "user", "content": turn.text} for turn in talk.turns]
    for start in range(0, len(turns), BATCH):
        body = {"messages": turns[start : start + BATCH]}
        target.send_request("POST", f"{make_subject_path(subject)}/conversations/talk/messages", body)
    return len(turns)


def wait_until_learned(target: MeasuredStack, subjects: Sequence[str]) -> None:
    end = time.monotonic() + SETTLE_S
    for subject in subjects:
        while target.send_request("GET", f"{make_subject_path(subject)}/pending")["pending"]:
            if time.monotonic() > end:
                raise MeasurementRefused(f"the messages were not learned within {SETTLE_S:.0f} s")
            time.sleep(POLL_S)


def find_stack_processes(data_dir: Path) -> list[psutil.Process]:
    """Return the processes that `make run` with this data directory has started on this machine. Raises
    MeasurementRefused."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            mark, supervisor = process.environ().get(MARK), process.parent()
            if mark and supervisor and Path(mark).resolve() == data_dir.resolve():
                return supervisor.children()
    raise MeasurementRefused(f"no stack of {data_dir} runs on this machine: start `make run`, or name another DATA_DIR")


def read_processor_times(processes: Sequence[psutil.Process]) -> dict[str, float]:
    """Return the seconds of processor time that each part has spent so far, those of its children included."""
    spent = defaultdict[str, float](float)
    for one in processes:
        line = " ".join(one.cmdline())
        part = next((part for word, part in PARTS.items() if word in line), "other")
        for process in (one, *one.children(recursive=True)):
            times = process.cpu_times()
            spent[part] += times.user + times.system
        ended = one.cpu_times()
        spent[part] += ended.children_user + ended.children_system
    return dict(spent)


def measure_since(before: Mapping[str, float], processes: Sequence[psutil.Process]) -> dict[str, float]:
    """Return the seconds of processor time that each part has spent since an earlier reading."""
    return {part: spent - before.get(part, 0) for part, spent in read_processor_times(processes).items()}


def measure_stored_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute(STORED)
        return int(cursor.fetchone()[0])
