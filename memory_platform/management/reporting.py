"""Progress and results of commands."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, OutputWrapper
from tqdm import tqdm

Advance = Callable[[int], object]


@contextmanager
def progress(out: OutputWrapper, what: str, total: int, unit: str) -> Iterator[Advance]:
    """Draw a bar on a terminal; elsewhere print a line with the duration at the end. A ``total`` of 0 is unknown."""
    started = time.monotonic()
    bar: tqdm[Any] = tqdm(total=total or None, unit=f" {unit}", desc=what, disable=None)
    with bar:
        yield bar.update
    if bar.disable:
        out.write(f"{what}: {time.monotonic() - started:.1f} s")


@contextmanager
def quiet_events() -> Iterator[None]:
    """Log only warnings and errors: the events of thousands of messages would bury the progress."""
    logger = logging.getLogger("memory_platform")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def write_result(out: OutputWrapper, write: Callable[[Path], object], path: Path) -> None:
    """Write a file and report it on ``out``. Raises CommandError if it cannot be written or drawn."""
    try:
        write(path)
    except OSError as fault:
        raise CommandError(f"Cannot write {path}: {fault.strerror}.") from None
    except ValueError as fault:
        raise CommandError(f"Cannot draw {path}: {fault}") from None
    out.write(f"Written to {path}.")
