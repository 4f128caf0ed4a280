"""The base of the platform's commands: one sentence about what failed, progress, result files."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.db import OperationalError, ProgrammingError
from psycopg.errors import UndefinedColumn, UndefinedTable
from tqdm import tqdm

from memory_platform.kernel.errors import MemoryPlatformError
from tenants.models import Tenant

Advance = Callable[[int], object]
NO_DATABASE = "The database does not answer. Start the stack (make run), or check DATABASE_URL."
OTHER_TABLES = (
    "The database's tables are those of other code. Start the stack anew (make run brings them up to date), or run "
    "`manage.py migrate --database owner`."
)


class PlatformCommand(BaseCommand):
    """A command that talks with the database. An error of the platform that it leaves open ends it in one sentence."""

    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except OperationalError:
            raise CommandError(NO_DATABASE) from None
        except ProgrammingError as error:
            if isinstance(error.__cause__, UndefinedColumn | UndefinedTable):
                raise CommandError(OTHER_TABLES) from error
            raise
        except MemoryPlatformError as fault:
            raise CommandError(f"{fault.code}: {fault.detail}") from None


def choose_tenants(slug: str | None) -> list[Tenant]:
    """Return the tenant with this slug, all tenants for None. Raises CommandError that lists the known ones."""
    tenants = list(Tenant.objects.order_by("slug"))
    chosen = [one for one in tenants if slug in (None, one.slug)]
    if not chosen:
        known = ", ".join(one.slug for one in tenants) or "none yet"
        raise CommandError(f"There is no tenant {slug!r}. Tenants here: {known}.")
    return chosen


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
def silence_events() -> Iterator[None]:
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
