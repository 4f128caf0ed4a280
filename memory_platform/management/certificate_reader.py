"""Read certificates of erasure from a file."""

from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError


def read_certificates(path: Path) -> list[dict[str, Any]]:
    """Return the certificates of a file, one per line, alone or inside an answer of the API. Raises CommandError."""
    try:
        lines = [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as fault:
        raise CommandError(f"Cannot read {path}: {fault.strerror}.") from None
    except orjson.JSONDecodeError:
        raise CommandError(f"{path} does not hold one JSON object a line.") from None
    found = [line.get("certificate", line) if isinstance(line, dict) else None for line in lines]
    if not all(isinstance(one, dict) for one in found):
        raise CommandError(f"{path} does not hold one JSON object a line.")
    return [one for one in found if isinstance(one, dict)]
