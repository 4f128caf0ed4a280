"""Sets Django up for modules that run by themselves: ``python -m lab.teaching.forget_orders``; prints their lines."""

import os
import sys
from collections.abc import Callable, Iterable

import django
from django.apps import apps

# The modules are run by themselves and import models, which need Django set up first.
if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")
    django.setup()


def run_program(usual: Callable[[], Iterable[str] | None], **others: Callable[[], Iterable[str]]) -> None:
    """Print the lines of the program that the command line names (``--measure`` for ``measure``), else of ``usual``."""
    program = next((one for name, one in others.items() if f"--{name}" in sys.argv), usual)
    for line in program() or ():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def list_named_files(*usual: str) -> list[str]:
    """Return the arguments of the command line that are no flags; ``usual`` if only flags are given."""
    return [one for one in sys.argv[1:] if not one.startswith("--")] or list(usual)
