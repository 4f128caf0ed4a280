"""The platform's own programs as stack processes: web, Celery worker, beat and the one-time steps."""

import http.client
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from memory_platform.devstack.config import PROJECT_ROOT, StackOptions, SupervisorConfig
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.processes.supervisor import ProcessSpec

# Environment variable that every program of a stack carries: the stack's data directory.
MARK = "MEMORY_PLATFORM_STACK"

REQUEST_LINE_LIMIT = 8190
READY_PATH = "/health/ready"
READY_TIMEOUT = 2.0
HTTP_OK = 200
ANSWER_BYTES = 500
EXPECTED_WARNINGS = (
    "ignore:You're running the worker with superuser privileges",  # a development machine, often a container
    "ignore:No directory at",  # static files come from their packages, nothing is collected
)


class Programs:
    """Builds the platform's processes and steps, all with the same environment."""

    def __init__(self, options: StackOptions, settings: Mapping[str, str]) -> None:
        self._options = options
        self._environment = build_program_environment(options, settings)
        self._last_answer = "no answer"

    def step(self, *arguments: str) -> ProgramCommand:
        return self._python(str(PROJECT_ROOT / "manage.py"), *arguments)

    def parts(self) -> tuple[ProcessSpec, ProcessSpec, ProcessSpec]:
        return (
            ProcessSpec("web", self._web, is_ready=self._web_is_ready, why_not=lambda: self._last_answer),
            ProcessSpec("worker", self._worker),
            ProcessSpec("beat", self._beat),
        )

    def _web(self) -> ProgramCommand:
        options = self._options
        graceful = int(SupervisorConfig().part_stop_timeout) - 2
        arguments = {
            "--bind": f"{options.host}:{options.port}",
            "--workers": str(options.web_workers),
            "--threads": str(options.web_threads),
            "--limit-request-line": str(REQUEST_LINE_LIMIT),
            "--graceful-timeout": str(graceful),
            "--log-level": "warning",
        }
        flat = [part for pair in arguments.items() for part in pair]
        return self._python("-m", "gunicorn", "memory_platform.wsgi", "--no-control-socket", *flat)

    def _worker(self) -> ProgramCommand:
        processes = str(self._options.job_processes)
        arguments = ("--pool", "prefork", "--concurrency", processes, "--prefetch-multiplier", "1")
        quiet = ("--without-gossip", "--without-mingle", "--loglevel", "WARNING")
        return self._celery("worker", *arguments, *quiet)

    def _beat(self) -> ProgramCommand:
        return self._celery("beat", "--pidfile=", "--loglevel", "WARNING")

    def _celery(self, *arguments: str) -> ProgramCommand:
        return self._python("-m", "celery", "--quiet", "-A", "memory_platform", *arguments)

    def _python(self, *arguments: str) -> ProgramCommand:
        return ProgramCommand((sys.executable, *arguments), self._environment, PROJECT_ROOT)

    def _web_is_ready(self) -> bool:
        host = self._options.base_url.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=READY_TIMEOUT)
        try:
            connection.request("GET", READY_PATH)
            answer = connection.getresponse()
            self._last_answer = (
                f"{READY_PATH} said {answer.status}: {answer.read(ANSWER_BYTES).decode(errors='replace')}"
            )
            return answer.status == HTTP_OK
        except (OSError, http.client.HTTPException) as fault:
            self._last_answer = f"{READY_PATH}: {fault}"
            return False
        finally:
            connection.close()


def build_program_environment(options: StackOptions, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the platform's programs; variables set by the caller override ``settings``."""
    metrics = options.data_dir / "metrics"
    defaults = {
        **settings,
        "LOG_FORMAT": "console",
        "OPENBLAS_NUM_THREADS": "1",  # one thread per process: the processes share the cores already
        "PYTHONWARNINGS": ",".join(EXPECTED_WARNINGS),
    }
    fixed = {
        "DJANGO_SETTINGS_MODULE": "memory_platform.settings",
        "DATA_DIR": str(options.data_dir),
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
        "PYTHONUNBUFFERED": "1",
        MARK: str(options.data_dir),
    }
    given = {name: value for name, value in os.environ.items() if value}
    return {**defaults, **given, **fixed}


def clear_metrics_directory(data_dir: Path) -> None:
    """Empty the directory of the programs' metrics: counters start with the stack."""
    folder = data_dir / "metrics"
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.db"):
        file.unlink()
