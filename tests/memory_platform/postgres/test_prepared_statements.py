"""Statements that go out together and come back in one round trip. Rows: R1, T1."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.db import DataError, OperationalError, ProgrammingError, connection, transaction

from memory_platform.postgres.prepared_statements import Statement, fetch_prepared, fetch_together

pytestmark = pytest.mark.django_db(transaction=True)
SOME_ID = UUID("0190a000-0000-7000-8000-000000000001")
TENANT_NOW = Statement("SELECT current_setting('app.tenant_id', true)")
TENANT_SET = Statement("SELECT set_config('app.tenant_id', $1, true)", [str(SOME_ID)])


@pytest.fixture(autouse=True, params=[True, False], ids=["prepared", "planned each time"])
def with_and_without_preparing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "PREPARED_STATEMENTS", request.param)


def test_each_statement_answers_in_its_place() -> None:
    assert fetch_together([Statement("SELECT 1"), Statement("SELECT 2 WHERE false"), Statement("SELECT 3")]) == [
        [(1,)],
        [],
        [(3,)],
    ]


def test_values_go_and_come_in_the_types_of_the_statement() -> None:
    moment = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)
    sql = "SELECT $1::uuid, $2::timestamptz, $3::uuid[], $4::jsonb, $5::bytea, $6::text, $7::int + 1, $8::boolean"
    values = [SOME_ID, moment, [SOME_ID], '{"家": 1}', b"\x00\xff", "导航 'home' $1", 41, None]
    assert fetch_prepared(sql, values) == [
        (SOME_ID, moment, [SOME_ID], {"家": 1}, b"\x00\xff", "导航 'home' $1", 42, None)
    ]


def test_alone_they_are_one_transaction_and_leave_no_setting_behind() -> None:
    during = fetch_together([TENANT_SET, TENANT_NOW])[1]
    assert during == [(str(SOME_ID),)]
    assert fetch_prepared(TENANT_NOW.sql) in ([("",)], [(None,)])


def test_inside_a_transaction_they_are_part_of_it() -> None:
    with transaction.atomic():
        fetch_together([TENANT_SET])
        with connection.cursor() as cursor:
            cursor.execute(TENANT_NOW.sql)
            assert cursor.fetchone() == (str(SOME_ID),)


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (Statement("SELECT nonsense"), ProgrammingError),
        (Statement("SELECT 1 / $1::int", [0]), DataError),
        (Statement("SELECT $1::uuid", ["no uuid"]), DataError),
    ],
)
def test_one_that_fails_raises_undoes_all_and_leaves_the_connection_usable(
    broken: Statement, error: type[Exception]
) -> None:
    for _ in range(2):
        with pytest.raises(error):
            fetch_together([TENANT_SET, Statement("SELECT 7"), broken, Statement("SELECT 8")])
        assert fetch_together([Statement("SELECT 7"), TENANT_NOW, Statement("SELECT 8")])[::2] == [[(7,)], [(8,)]]
    assert fetch_prepared(TENANT_NOW.sql) in ([("",)], [(None,)])


def test_more_than_the_sockets_hold_goes_through() -> None:
    long = "家" * 1_000_000
    answers = fetch_together([Statement("SELECT $1::text", [long]) for _ in range(4)])
    assert [rows[0][0] == long for rows in answers] == [True] * 4


def test_a_connection_that_dies_in_between_is_not_used_again() -> None:
    with pytest.raises(OperationalError):
        fetch_together([Statement("SELECT 1"), Statement("SELECT pg_terminate_backend(pg_backend_pid())")])
    assert connection.connection.closed
    connection.close()
    assert fetch_prepared("SELECT 9") == [(9,)]
