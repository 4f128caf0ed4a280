"""Files of a stack that hold secrets, readable by their owner only: its addresses and the access to the demo world.

Commands in a second terminal read ``stack.env`` through ``memory_platform.env.environment``; the process environment
takes precedence.
"""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values
from pydantic import BaseModel, ValidationError

STACK_FILE = "stack.env"
DEMO_FILE = "demo.json"
SECRET_NAMES = ("SECRET_KEY", "KEY_PEPPER", "UPSTREAM_KEYS")
SECRET_BYTES = 48


def read_stack_file(data_dir: Path) -> dict[str, str]:
    """Return the values of an earlier start; empty before the first start."""
    return {name: value for name, value in dotenv_values(data_dir / STACK_FILE, interpolate=False).items() if value}


def ensure_stack_secrets(data_dir: Path) -> dict[str, str]:
    """Return the stack's secrets; missing ones are created."""
    known = read_stack_file(data_dir)
    return {name: known.get(name) or secrets.token_urlsafe(SECRET_BYTES) for name in SECRET_NAMES}


def write_stack_file(data_dir: Path, values: Mapping[str, str]) -> None:
    """Write ``values`` atomically, readable by the owner only."""
    lines = "".join(f"{name}='{_escape_value(value)}'\n" for name, value in sorted(values.items()))
    write_private(data_dir / STACK_FILE, "# Written by `manage.py up`. Holds secrets: never commit it.\n" + lines)


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


class DemoAccess(BaseModel):
    """Console logins and one API key per demo tenant. The file holds whole keys: treat it as a secret."""

    # User name -> password, the platform operator first.
    logins: dict[str, str]
    # Tenant name (`acme`, `globex`) -> API key.
    keys: dict[str, str]
    # The tenant of the printed example.
    tenant: str = "acme"
    # The subject of the printed example, by the product's own id.
    subject: str = "ada"

    def save(self, data_dir: Path) -> None:
        write_private(data_dir / DEMO_FILE, self.model_dump_json(indent=2) + "\n")


def read_demo_access(data_dir: Path) -> DemoAccess | None:
    """Return the content of ``demo.json``, or None if it is missing or unusable."""
    try:
        return DemoAccess.model_validate_json((data_dir / DEMO_FILE).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
