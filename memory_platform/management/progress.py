"""Progress of commands: a bar on a terminal, a line elsewhere."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import OutputWrapper
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
