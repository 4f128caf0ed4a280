"""Serves the metrics of processes that share PROMETHEUS_MULTIPROC_DIR and have no port: `serve_metrics.py PORT`.

Stands in a container beside a worker. Needs neither Django nor a database, so it is small and answers while the worker
cannot.
"""

import os
import signal
import sys
from pathlib import Path
from threading import Event
from types import FrameType

from prometheus_client import CollectorRegistry, multiprocess, start_http_server


def serve_until_stopped(port: int) -> None:
    stopped = Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopped.set()

    signal.signal(signal.SIGTERM, stop)
    registry = CollectorRegistry()
    folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    folder.mkdir(parents=True, exist_ok=True)  # the worker, which empties it, may start later than this
    multiprocess.MultiProcessCollector(registry, path=str(folder))  # type: ignore[no-untyped-call]
    server, thread = start_http_server(port, registry=registry)
    stopped.wait()
    server.shutdown()
    thread.join()


if __name__ == "__main__":
    serve_until_stopped(int(sys.argv[1]))
