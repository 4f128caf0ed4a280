"""A run of the tests that is killed leaves its servers to the next run, which ends them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.embedded_stack import MARK

ROOT = Path(__file__).resolve().parents[2]
START = """
import time
from tests.embedded_stack import redis_in, run_home
redis = redis_in(run_home())
redis.start()
print(run_home(), redis.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.processes
def test_the_next_run_ends_the_servers_of_a_killed_one() -> None:
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    killed = subprocess.Popen(
        [sys.executable, "-c", START], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert killed.stdout is not None
    home, pid = killed.stdout.readline().split()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert psutil.pid_exists(int(pid))
    subprocess.run([sys.executable, "-c", "import tests.embedded_stack"], cwd=ROOT, env=environment, check=True)
    assert not Path(home).exists()
    assert not psutil.pid_exists(int(pid))
    assert Path(os.environ[MARK]).exists(), "this run lives"
