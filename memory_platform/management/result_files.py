"""Result files of commands."""

from collections.abc import Callable
from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper


def write_result(out: OutputWrapper, write: Callable[[Path], object], path: Path) -> None:
    """Write a file and report it on ``out``. Raises CommandError if it cannot be written or drawn."""
    try:
        write(path)
    except OSError as fault:
        raise CommandError(f"Cannot write {path}: {fault.strerror}.") from None
    except ValueError as fault:
        raise CommandError(f"Cannot draw {path}: {fault}") from None
    out.write(f"Written to {path}.")
