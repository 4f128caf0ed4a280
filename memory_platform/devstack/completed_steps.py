"""The set-up steps that a database has had, so that a second start skips them.

The record is the database's own comment: it is copied, dropped and restored together with the database.
"""

import hashlib
import json
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import psycopg
from psycopg import sql

from memory_platform.devstack.options import PROJECT_ROOT

READ = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()"


def read_completed_steps(url: str) -> dict[str, str]:
    """Return ``{step: fingerprint}`` of the database at ``url``; empty if there is no readable record."""
    with psycopg.connect(url) as connection:
        row = connection.execute(READ).fetchone()
    try:
        marks = json.loads(str(row[0])) if row and row[0] else {}
    except ValueError:
        return {}
    return marks if isinstance(marks, dict) else {}


def note_mark(url: str, step: str, fingerprint: str) -> None:
    """Record that ``step`` was done by the code with this ``fingerprint``; as superuser or as the database's owner."""
    marks = read_completed_steps(url) | {step: fingerprint}
    with psycopg.connect(url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(name, sql.Literal(json.dumps(marks))))


def schema_fingerprint() -> str:
    """Return a digest of everything that ``migrate`` depends on: our migrations and the installed packages."""
    apps = ("memory_platform", "tenants", "profiles", "snapshots")
    patterns = (*(f"{app}/migrations/*.py" for app in apps), "memory_platform/postgres/*.py")
    ours = [path for pattern in patterns for path in sorted(PROJECT_ROOT.glob(pattern))]
    packages = Path(sysconfig.get_path("purelib")).glob("*.dist-info")
    return _digest([*_contents(ours), *sorted(path.name for path in packages)])


def seed_fingerprint() -> str:
    patterns = ("memory_platform/management/commands/seed_world.py", "memory_platform/devstack/seed/world*.py")
    return _digest(_contents(path for pattern in patterns for path in sorted(PROJECT_ROOT.glob(pattern))))


def _contents(paths: Iterable[Path]) -> list[str]:
    return [f"{path.relative_to(PROJECT_ROOT)}\0{path.read_text(encoding='utf-8')}" for path in paths]


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0\0".join(parts).encode()).hexdigest()[:16]
