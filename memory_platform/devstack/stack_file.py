"""The file from which ``manage.py`` commands in a second terminal learn how to reach the running stack.

It holds the stack's secrets, so only its owner may read it. ``memory_platform.env.environment`` reads it; the process
environment takes precedence.
"""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

FILE_NAME = "stack.env"
SECRET_NAMES = ("SECRET_KEY", "KEY_PEPPER")
SECRET_BYTES = 48


def read_stack_file(data_dir: Path) -> dict[str, str]:
    """Return the values of an earlier start; empty before the first start."""
    return {name: value for name, value in dotenv_values(data_dir / FILE_NAME, interpolate=False).items() if value}


def stack_secrets(data_dir: Path) -> dict[str, str]:
    """Return the stack's secrets; missing ones are created."""
    known = read_stack_file(data_dir)
    return {name: known.get(name) or secrets.token_urlsafe(SECRET_BYTES) for name in SECRET_NAMES}


def write_stack_file(data_dir: Path, values: Mapping[str, str]) -> None:
    """Write ``values`` atomically, readable by the owner only."""
    lines = "".join(f"{name}='{_escape_value(value)}'\n" for name, value in sorted(values.items()))
    write_private(data_dir / FILE_NAME, "# Written by `manage.py up`. Holds secrets: never commit it.\n" + lines)


def write_private(path: Path, text: str) -> None:
    """Replace ``path`` atomically by a file with mode 0600 that holds ``text``."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def _escape_value(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")
