"""What a purge's measurement may say: what no look met is not given as a zero. Rows: E6."""

import time

import psycopg
from django.db import connections

from lab.benchmarks.purge_impact import LOOKS, PURGER, Locks


def test_what_was_not_seen_is_no_figure() -> None:
    locks = Locks()
    locks.add_observation([0], [None])
    assert "longest writing transaction not seen" in locks.describe()
    locks.add_observation([0.002], [0.004])
    assert locks.describe() == ("longest wait for a lock 2 ms in 1 of 2 looks, longest writing transaction 4 ms")


def test_a_writing_transaction_under_the_purges_name_is_seen(database: None) -> None:
    settings = connections["default"].get_connection_params()
    address = {name: settings[name] for name in ("host", "port", "user", "password", "dbname") if settings.get(name)}
    with psycopg.connect(**address, autocommit=True) as watcher:
        assert watcher.execute(LOOKS[1][0], [PURGER]).fetchone() == (None,)
        with psycopg.connect(**address, application_name=PURGER) as purge:
            purge.execute("SELECT count(*) FROM tenant")
            time.sleep(0.02)
            assert watcher.execute(LOOKS[1][0], [PURGER]).fetchone() == (None,), "it only reads"
            purge.execute("UPDATE tenant SET name = name WHERE false")
            seen = watcher.execute(LOOKS[1][0], [PURGER]).fetchone()
    assert seen is not None
    assert seen[0] is not None and float(seen[0]) >= 0.02
