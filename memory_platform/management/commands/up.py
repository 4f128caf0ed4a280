"""Start everything on this machine: ``manage.py up``."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from memory_platform.devstack.config import StackOptions
from memory_platform.devstack.errors import CannotStart
from memory_platform.devstack.processes.terminal import Terminal
from memory_platform.devstack.stack import CANNOT_START, read_port, run_stack


class Command(BaseCommand):
    help = "Start Postgres, Redis, web, worker and beat under one supervisor; Ctrl-C stops all of it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = StackOptions()
        parser.add_argument("--host", default=chosen.host, help="address to listen on (%(default)s)")
        parser.add_argument("--port", default=str(chosen.port), help="port to listen on (%(default)s)")
        parser.add_argument("--data-dir", type=Path, default=chosen.data_dir, help="embedded data (%(default)s)")
        parser.add_argument("--no-seed", dest="seed", action="store_false", help="do not make the demo world")
        parser.add_argument("--web-workers", type=int, default=chosen.web_workers, help="web processes (%(default)s)")
        parser.add_argument("--web-threads", type=int, default=chosen.web_threads, help="threads each (%(default)s)")
        parser.add_argument(
            "--job-processes", type=int, default=chosen.job_processes, help="job processes (%(default)s)"
        )

    def handle(self, **options: Any) -> None:
        chosen = {name: options[name] for name in StackOptions.__dataclass_fields__}
        chosen["data_dir"] = chosen["data_dir"].absolute()
        terminal = Terminal(sys.stdout)
        try:
            chosen["port"] = read_port(str(chosen["port"]))
        except CannotStart as fault:
            terminal.write_line("up", fault.detail)
            sys.exit(CANNOT_START)
        sys.exit(run_stack(StackOptions(**chosen), terminal))
