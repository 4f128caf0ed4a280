"""Django's Postgres backend, with (tenant_id, id) as primary key, and a check of idle pool connections.

Nothing that it does outlives a transaction, so that a pooler in transaction mode may stand before Postgres.
"""

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base, features


class DatabaseFeatures(features.DatabaseFeatures):
    # Django groups by `id` alone where Postgres accepts that only for a whole primary key; ours is (tenant_id, id).
    allows_group_by_selected_pks = False


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = DatabaseFeatures

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection that has not died in the pool, as all do when Postgres restarts. The pool's own check
        (CONN_HEALTH_CHECKS) asks Postgres each time, and waits a second after each dead one."""
        connection = super().get_new_connection(conn_params)
        while self.pool and has_ended(connection):
            connection.close()
            self.pool.putconn(connection)
            connection = super().get_new_connection(conn_params)
        return connection

    def chunked_cursor(self) -> Any:
        """Return a cursor that reads piece by piece. Outside of a transaction it would have to be one that outlives
        transactions, and behind a pooler the next piece is asked of another connection: there all is read at once."""
        return super().chunked_cursor() if self.in_atomic_block else self.cursor()


def has_ended(connection: psycopg.Connection[Any]) -> bool:
    """Return whether Postgres has closed an idle connection, by a look at the socket (4 µs). An idle connection
    receives nothing but its end. (A changed setting would be announced too; it costs a connection.)"""
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN)
    return bool(heard.poll(0))
