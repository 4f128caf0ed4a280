"""Statements of the hot path: prepared once per connection, sent together, answered in one round trip in binary form.

Django binds parameters on the client and plans each statement anew; under row-level security planning costs more than
running. Measured on an idle local socket, with ``SELECT 1`` = 1: five statements in sequence in a transaction 9.4,
together 1.7; psycopg's own pipeline waits for each and is slower than the sequence.

Poolers that know nothing of prepared statements (pgbouncer before 1.21) need ``"PREPARED_STATEMENTS": False`` in the
database's settings: the statements still go out together, and are planned each time.
"""

import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

import orjson
import psycopg
from django.db import connection
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.types.json import set_json_loads

Rows = list[tuple[Any, ...]]

set_json_loads(orjson.loads)  # a context reads a hundred columns of it: 0.25 ms by the standard library, 0.05 so

# The statements that each connection has prepared, with their names. They are constants of the code, so they are few.
_prepared: "WeakKeyDictionary[psycopg.Connection[Any], dict[str, bytes]]" = WeakKeyDictionary()
# A name is never used twice: pgbouncer takes one for taken, although Postgres refused what it was to stand for.
_numbers = count()


@dataclass(frozen=True, slots=True)
class Statement:
    """``is_constant``: its text is one of the code's; another text is planned each time, so that no connection keeps
    the filters of all calls."""

    sql: str
    values: Sequence[Any] = ()
    is_constant: bool = True


def fetch_together(statements: Sequence[Statement]) -> list[Rows]:
    """Run ``statements`` in order on the default connection; return the rows of each.

    They join an open transaction, or form one of their own, in which transaction-local settings work. JSON comes
    parsed, bytea as bytes, timestamps aware. Raises as Django's cursors do.
    """
    connection.ensure_connection()
    began = perf_counter()
    with connection.wrap_database_errors:
        rows = _run(connection.connection, statements)
    if connection.queries_logged:
        took = f"{perf_counter() - began:.3f}"
        connection.queries_log.extend({"sql": one.sql, "time": took} for one in statements)
    return rows


def fetch_prepared(sql: str, values: Sequence[Any] = ()) -> Rows:
    """Run one constant statement and return its rows. See :func:`fetch_together`."""
    return fetch_together([Statement(sql, values)])[0]


def _run(conn: "psycopg.Connection[Any]", statements: Sequence[Statement]) -> list[Rows]:
    held = _prepared.setdefault(conn, {})
    names: dict[str, bytes] = {}  # of those that are prepared now
    transformer: Any = Transformer(conn)
    # Before anything is sent: a value that cannot be sent leaves the connection as it was.
    values = [transformer.dump_sequence(one.values, [PyFormat.TEXT] * len(one.values)) for one in statements]
    is_prepared = connection.settings_dict.get("PREPARED_STATEMENTS", True)
    begin = not conn.autocommit and conn.pgconn.transaction_status == pq.TransactionStatus.IDLE
    prepared: list[str | None] = []  # of each result: the statement that it prepared, None where it ran one
    with _pipeline(conn) as pgconn:
        if begin:  # psycopg opens Django's transactions with their first statement, which this is
            pgconn.send_query_params(b"BEGIN", None)
        for one, dumped in zip(statements, values, strict=True):
            if not (is_prepared and one.is_constant):
                pgconn.send_query_params(one.sql.encode(), dumped, result_format=pq.Format.BINARY)
                prepared.append(None)
                continue
            # Prepared where it runs: one that cannot be prepared must find the savepoint before it.
            if one.sql not in held and one.sql not in names:
                names[one.sql] = f"memory_{next(_numbers)}".encode()
                pgconn.send_prepare(names[one.sql], one.sql.encode())
                prepared.append(one.sql)
            name = held.get(one.sql) or names[one.sql]
            pgconn.send_query_prepared(name, dumped, result_format=pq.Format.BINARY)
            prepared.append(None)
        pgconn.pipeline_sync()
        results = list(_results(pgconn))[begin:]
    outcomes = list(zip(prepared, results, strict=False))
    held.update((sql, names[sql]) for sql, result in outcomes if sql and result.status == pq.ExecStatus.COMMAND_OK)
    for _, result in outcomes:
        if result.status == pq.ExecStatus.FATAL_ERROR:
            raise error_from_result(result, encoding=conn.info.encoding)
    return [_rows(transformer, result) for sql, result in outcomes if sql is None]


@contextmanager
def _pipeline(conn: "psycopg.Connection[Any]") -> Iterator[Any]:
    """Put the connection into libpq's pipeline mode; one that is left in the middle of an exchange is closed."""
    conn.pgconn.enter_pipeline_mode()
    try:
        yield conn.pgconn
        conn.pgconn.exit_pipeline_mode()
    except BaseException:
        conn.close()
        raise


def _results(pgconn: Any) -> Iterator[Any]:
    socket = select.poll()
    socket.register(pgconn.socket, select.POLLIN)
    while pgconn.flush():  # what did not fit into the socket's buffer: the server may have to be heard first
        socket.modify(pgconn.socket, select.POLLIN | select.POLLOUT)
        socket.poll()
        pgconn.consume_input()
    socket.modify(pgconn.socket, select.POLLIN)
    while True:
        while pgconn.is_busy():
            socket.poll()
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is not None:
            if result.status == pq.ExecStatus.PIPELINE_SYNC:
                return
            yield result


def _rows(transformer: Any, result: Any) -> Rows:
    transformer.set_pgresult(result)
    rows: Rows = transformer.load_rows(0, result.ntuples, tuple)
    return rows
