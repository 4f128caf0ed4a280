"""Processor time is counted by the part of the stack that spent it. Rows: D4, D6."""

import subprocess
import sys
from io import StringIO

import psutil
import pytest
from django.core.management import CommandError, call_command

from lab.benchmarks.unit_costs import UnitCost, measure_stored_bytes, read_processor_times

BUSY = "import sys; sum(range(10_000_000)); print('done', flush=True); sys.stdin.read()"


@pytest.mark.processes
def test_the_time_of_a_process_counts_for_its_part() -> None:
    """What stands in the command line names the part."""
    with subprocess.Popen(
        [sys.executable, "-c", BUSY, "gunicorn"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as busy:
        assert busy.stdout is not None
        busy.stdout.readline()
        spent = read_processor_times([psutil.Process(busy.pid)])
        busy.communicate()
    assert spent.keys() == {"web"}
    assert spent["web"] > 0.05


def test_a_row_tells_milliseconds_rate_and_bytes_of_one_unit() -> None:
    cost = UnitCost("message", 100, {"web": 0.5, "worker": 1.0, "postgres": 0.4, "redis": 0.1}, stored=670_000)
    assert cost.render_row() == "| message | 5.0 | 10.0 | 4.0 | 20.0 | 50 | 6,700 |"
    assert UnitCost("recall", 100, {"web": 1.0}).render_row() == "| recall | 10.0 | 0.0 | 0.0 | 10.0 | 100 |  |"


def test_a_stack_that_does_not_run_is_named(database: None) -> None:
    assert measure_stored_bytes() > 1_000_000
    with pytest.raises(CommandError, match=r"no stack of .* runs on this machine"):
        call_command("bench", "units", stdout=StringIO())
