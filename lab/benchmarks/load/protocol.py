"""Orders to the load generator's programs and their replies: one JSON object a line. Standard library only."""

import json
import sys
from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import Any

JsonObject = dict[str, Any]
Stages = Mapping[str, float]


class AskFailed(Exception):
    """A request had no answer that counts."""


def serve_orders(obey: Callable[[JsonObject], JsonObject]) -> None:
    """Answer each line of standard input with one line. Other output goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(obey(json.loads(line))), file=out, flush=True)


def repeat_requests(ask: Callable[[int], tuple[float, Stages]], number: int, seconds: float | None) -> JsonObject:
    """Ask question 0 to ``number`` - 1: once each without ``seconds``, else round and round so long.

    ``ask`` returns seconds and the answer's own stages, or raises AskFailed. Times in the answer are milliseconds.
    """
    taken: list[float] = []
    stages: list[Stages] = []
    failed = asked = 0
    began, worked = perf_counter(), process_time()
    while asked < number if seconds is None else perf_counter() - began < seconds:
        try:
            spent, told = ask(asked % number)
            taken.append(round(spent * 1000, 4))
            stages.append(told)
        except AskFailed:
            failed += 1
        asked += 1
    wall, cpu = perf_counter() - began, process_time() - worked
    return {"ms": taken, "stages": stages, "failed": failed, "wall_s": wall, "cpu_s": cpu}
