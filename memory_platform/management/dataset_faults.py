"""Error messages for unusable input files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

from memory_platform.kernel.errors import InvalidInput

FAULTS_SHOWN = 10


@contextmanager
def explain_faults(path: Path, refusal: str) -> Iterator[None]:
    """Turn an unreadable file, or one that is refused inside the block, into a CommandError with its faults."""
    try:
        yield
    except OSError as fault:
        raise CommandError(f"Cannot read {path}: {fault.strerror}. Name a JSON file that you may read.") from None
    except InvalidInput as fault:
        shown = [f"  {one.field}: {one.message}" for one in fault.faults[:FAULTS_SHOWN]]
        if len(fault.faults) > FAULTS_SHOWN:
            shown.append(f"  ... and {len(fault.faults) - FAULTS_SHOWN:,} more")
        raise CommandError("\n".join([f"{path} {refusal}; nothing was loaded. Correct:", *shown])) from None
