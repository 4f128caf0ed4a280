"""Where words stand: in every column of every table, packed or not, in Redis, and in the logs of processes."""

import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection
from psycopg import sql
from psycopg.conninfo import make_conninfo
from redis import Redis

from memory_platform.devstack.servers.postgres import SUPERUSER
from memory_platform.providers.redis.client import redis_client

TABLES = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1"


def superuser_url(database: str | None = None) -> str:
    """Return the address of the test server for whoever sees all rows; the test world's database when none is named."""
    name = database or str(connection.settings_dict["NAME"])
    return make_conninfo(os.environ["DATABASE_OWNER_URL"], user=SUPERUSER, dbname=name)


def tables_with(*words: str, database: str | None = None) -> dict[str, int]:
    """Return how many rows of each table hold one of ``words``, in whatever case and script variant they are given."""
    found: Counter[str] = Counter()
    with psycopg.connect(superuser_url(database)) as server:
        for (table,) in server.execute(TABLES).fetchall():
            rows = server.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
            found[table] = sum(holds([cell for value in row for cell in _texts(value)], words) for row in rows)
    return {table: rows for table, rows in found.items() if rows}


_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def redis_holds(*words: str) -> list[bytes]:
    """Return the keys of Redis that hold one of ``words``, whatever their kind."""

    def read(client: "Redis") -> list[bytes]:
        return [key for key in client.scan_iter() if holds([_decode(key), _decode(_value(client, key))], words)]

    return redis_client().call("tests", read)


def logs_with(folder: Path, *words: str) -> list[str]:
    """Return the names of the files below ``folder`` that hold one of ``words``."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if holds([_decode(path.read_bytes())], words)]


def holds(texts: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether one of ``words`` is part of one of ``texts``; case does not matter, and digits of an id spell no
    name: "ada" is none in 710a-ada7."""
    wanted = [word.casefold() for word in words]
    held = [(text.casefold(), _ID.sub("", text.casefold())) for text in texts]
    return any(word in (whole if _ID.search(word) else plain) for whole, plain in held for word in wanted)


def _texts(value: Any) -> list[str]:
    if isinstance(value, bytes):
        return [_decode(value), _decode(_inflate(value))]
    if isinstance(value, dict | list):
        return [json.dumps(value, ensure_ascii=False, default=str)]
    return [] if isinstance(value, date | UUID) else [str(value)]  # those hold any digits, and no word


def _inflate(value: bytes) -> bytes:
    try:
        return zlib.decompress(value)
    except zlib.error:
        return b""


def _decode(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _value(client: Any, key: bytes) -> bytes:
    kind = client.type(key)
    readers: dict[bytes, Callable[[], Any]] = {
        b"string": lambda: [client.get(key)],
        b"hash": lambda: [part for pair in client.hgetall(key).items() for part in pair],
        b"list": lambda: client.lrange(key, 0, -1),
        b"set": lambda: client.smembers(key),
        b"zset": lambda: client.zrange(key, 0, -1),
        b"none": list,  # it expired since it was listed
    }
    return b"\n".join(part or b"" for part in readers[kind]())
