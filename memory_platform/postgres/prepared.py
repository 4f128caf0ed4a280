"""Statements of the hot path: prepared once per connection, rows in binary form.

Django binds parameters on the client and plans each statement anew; under row-level security planning costs more than
running. Measured for recall with 100 memories: the texts took 2.6 ms through Django's cursor and 1.2 ms here.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from django.db import connection
from psycopg import Cursor


def fetch_prepared(sql: str, params: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run one constant statement on the default connection, inside whatever transaction is open; return its rows.

    JSON comes parsed, bytea as bytes, timestamps aware. Raises what Django's cursors raise.
    """
    connection.ensure_connection()
    began = perf_counter()
    with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
        cursor.execute(sql, params, prepare=True, binary=True)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    if connection.queries_logged:
        connection.queries_log.append({"sql": sql, "time": f"{perf_counter() - began:.3f}"})
    return rows
