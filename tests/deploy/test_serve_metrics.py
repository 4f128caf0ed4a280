"""The metrics of a process without a port are served beside it. Rows: D5, D13."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.contracts.documents.blocks import read_blocks
from tests.deploy.chart import ROOT
from tests.flows.stage import wait_until

WORK = """
from memory_platform.observability.metrics import WORK_ENDED
WORK_ENDED.labels(kind="note", outcome="done").inc(3)
"""


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@pytest.mark.processes
def test_it_serves_what_another_process_counted(tmp_path: Path) -> None:
    port = find_free_port()
    environment = {"PATH": os.environ["PATH"], "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics")}
    (line,) = [block.text for block in read_blocks("docs/operations/observability.md") if block.language == "sh"]
    command = [sys.executable, *line.replace("9090", str(port)).split()[1:]]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as server:
        try:
            wait_until((tmp_path / "metrics").is_dir)
            subprocess.run([sys.executable, "-c", WORK], cwd=ROOT, env=environment, check=True, timeout=60)
            with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                text = answer.read().decode()
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=10) == 0
    assert 'work_ended_total{kind="note",outcome="done"} 3.0' in text
