"""One way to a tenant, closed by default. Rows: T1. Matrix: 1, 9, 10, 11, 32."""

from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Count

from memory_platform.postgres.prepared_statements import Statement, _prepared, fetch_together
from profiles.models import Preference, Subject
from tenants.errors import TenantScopeMissing
from tenants.isolation import current_tenant_id, scope_reads, tenant_reads, tenant_tx, tenant_writes
from tenants.models import AuditRecord, Tenant, TenantOwned
from tests.conftest import World

OWNED = [model for model in apps.get_models() if issubclass(model, TenantOwned)]
WRITE_ONLY = {"api_key_digest", "invitation_digest"}
COUNT_SUBJECTS = Statement("SELECT count(*) FROM subject")
DIVIDED_BY_ZERO = Statement("SELECT 1 / $1::int", [0])


def sql(statement: str, *params: UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return int(cursor.rowcount)


@pytest.mark.parametrize("model", OWNED, ids=lambda model: model.__name__)
def test_without_a_tenant_the_manager_refuses_every_model(database: None, model: type[TenantOwned]) -> None:
    with pytest.raises(TenantScopeMissing):
        model.objects.count()


@pytest.mark.parametrize("model", OWNED, ids=lambda model: model.__name__)
def test_without_a_tenant_the_database_shows_nothing_and_refuses_writes(world: World, model: type[TenantOwned]) -> None:
    table = model._meta.db_table
    if table not in WRITE_ONLY:
        assert sql(f"SELECT * FROM {table}") == 0  # noqa: S608 - a table name of ours
    for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}", f"INSERT INTO {table} DEFAULT VALUES"):  # noqa: S608 - a table name of ours
        with pytest.raises(DatabaseError):
            sql(statement)


def test_a_process_that_stops_inside_a_scope_does_not_hold_its_locks_for_ever(world: World) -> None:
    with tenant_tx(world.acme.tenant.id), connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("30s",)
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)


def test_a_tenant_sees_its_own_subjects_only(world: World) -> None:
    with tenant_tx(world.globex.tenant.id):
        assert [subject.external_id for subject in Subject.objects.all()] == ["gil"]
        assert sql("SELECT * FROM subject") == 1


def test_a_row_cannot_point_into_another_tenant(world: World) -> None:
    with pytest.raises(IntegrityError), tenant_tx(world.globex.tenant.id):
        Preference.objects.create(
            subject_id=world.acme.subject.id,
            category="food",
            key="likes",
            value=["figs"],
            confidence=1.0,
            provenance="confirmed_by_user",
            valid_at="2026-01-01T00:00:00Z",
        )


def test_a_row_cannot_be_written_into_another_tenant(world: World) -> None:
    with pytest.raises(DatabaseError), tenant_tx(world.globex.tenant.id):
        Subject.objects.create(tenant=world.acme.tenant, external_id="smuggled")
    with tenant_tx(world.acme.tenant.id):
        assert [subject.external_id for subject in Subject.objects.all()] == ["ada"]


def test_a_foreign_instance_is_neither_changed_nor_deleted(world: World) -> None:
    with tenant_tx(world.globex.tenant.id):
        world.acme.subject.delete()
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.filter(external_id="ada").exists()


def test_an_exception_takes_back_everything_written_in_the_scope(world: World) -> None:
    with pytest.raises(RuntimeError), tenant_tx(world.acme.tenant.id):
        Subject.objects.create(external_id="half written")
        raise RuntimeError
    with tenant_tx(world.acme.tenant.id):
        assert not Subject.objects.filter(external_id="half written").exists()


def test_the_tenant_is_gone_after_the_scope_on_the_same_connection(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        assert current_tenant_id() == world.acme.tenant.id
    with pytest.raises(TenantScopeMissing):
        current_tenant_id()
    assert sql("SELECT * FROM subject") == 0


def test_scopes_do_not_nest(world: World) -> None:
    with pytest.raises(RuntimeError, match="does not nest"), tenant_tx(world.acme.tenant.id), tenant_tx(uuid4()):
        pass


def test_a_scope_cannot_hide_inside_another_transaction(world: World) -> None:
    with pytest.raises(RuntimeError), transaction.atomic(), tenant_tx(world.acme.tenant.id):
        pass


def test_code_on_commit_runs_when_the_tenant_is_gone(world: World) -> None:
    seen: list[str] = []

    def look() -> None:
        try:
            Subject.objects.count()
        except TenantScopeMissing:
            seen.append("refused")

    with tenant_tx(world.acme.tenant.id):
        transaction.on_commit(look)
    assert seen == ["refused"]


def test_a_queryset_written_in_one_tenant_is_evaluated_in_the_scope_that_runs_it(world: World) -> None:
    subjects = Subject.objects.all()
    for house in (world.acme, world.globex):
        with tenant_tx(house.tenant.id):
            assert [subject.id for subject in subjects.all()] == [house.subject.id]


def test_a_tenant_cannot_delete_or_rename_another(world: World) -> None:
    with tenant_tx(world.globex.tenant.id):
        assert Tenant.objects.filter(id=world.acme.tenant.id).update(name="Taken over") == 0
    with pytest.raises(DatabaseError), tenant_tx(world.globex.tenant.id):
        sql("DELETE FROM tenant WHERE id = %s", world.acme.tenant.id)


def test_the_audit_trail_cannot_be_rewritten(world: World) -> None:
    with pytest.raises(DatabaseError), tenant_tx(world.acme.tenant.id):
        AuditRecord.objects.update(action="nothing happened")


def test_counting_by_group_works_with_composite_keys(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        assert list(Subject.objects.annotate(n=Count("id")).values_list("n", flat=True)) == [1]


def test_a_scope_reads_what_it_wrote_and_goes_on_after_a_statement_that_fails(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.create(external_id="grace")
        for _ in range(2):
            count, names = scope_reads([COUNT_SUBJECTS, Statement("SELECT external_id FROM subject ORDER BY 1")])
            assert (count, names) == ([(2,)], [("ada",), ("grace",)])
            with pytest.raises(DatabaseError):
                scope_reads([COUNT_SUBJECTS, DIVIDED_BY_ZERO])
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.filter(external_id="grace").exists()


def test_a_scope_goes_on_after_a_statement_that_a_new_connection_cannot_prepare(world: World) -> None:
    """The savepoint stands before it, although nothing was prepared on this connection yet."""
    with tenant_tx(world.acme.tenant.id):
        _prepared.pop(connection.connection, None)
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
        with pytest.raises(DatabaseError, match="no_such_column"):
            scope_reads([Statement("SELECT no_such_column from subject")])
        assert scope_reads([Statement("SELECT external_id from subject")]) == [[("ada",)]]


@pytest.mark.parametrize(
    "value", ["a\x00b", object()], ids=["a character that Postgres refuses", "no type of Postgres"]
)
def test_a_scope_goes_on_after_a_value_that_cannot_be_sent(world: World, value: object) -> None:
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.create(external_id="grace")
        with pytest.raises(DatabaseError):
            scope_reads([COUNT_SUBJECTS, Statement("SELECT $1::text", [value])])
        assert scope_reads([COUNT_SUBJECTS]) == [[(2,)]]
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.filter(external_id="grace").exists()


def test_outside_of_a_scope_there_is_nothing_to_read_in_it(world: World) -> None:
    with pytest.raises(TenantScopeMissing):
        scope_reads([COUNT_SUBJECTS])


def test_a_scope_of_either_kind_plans_its_statements_once(world: World) -> None:
    mode = Statement("SELECT current_setting('plan_cache_mode')")
    with tenant_tx(world.acme.tenant.id):
        assert scope_reads([mode]) == [[("force_generic_plan",)]]
    assert tenant_reads(world.acme.tenant.id, [mode]) == [[("force_generic_plan",)]]
    assert fetch_together([mode]) == [[("auto",)]]


MODES = Statement(
    "SELECT current_setting('synchronous_commit'), current_setting('plan_cache_mode'), current_setting('app.tenant_id')"
)


def test_notes_are_one_transaction_that_does_not_wait_for_the_disk(world: World) -> None:
    note = Statement("UPDATE subject SET metadata = '{\"noted\": true}' WHERE tenant_id = $1", [world.acme.tenant.id])
    _, modes = tenant_writes(world.acme.tenant.id, [note, MODES])
    assert modes == [("off", "force_generic_plan", str(world.acme.tenant.id))]
    assert fetch_together([MODES]) == [[("on", "auto", "")]]
    with pytest.raises(DatabaseError):
        tenant_writes(world.acme.tenant.id, [Statement("UPDATE subject SET metadata = '{}'"), DIVIDED_BY_ZERO])
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.get().metadata == {"noted": True}
        with pytest.raises(RuntimeError):
            tenant_writes(world.acme.tenant.id, [note])


def test_notes_reach_no_other_tenant(world: World) -> None:
    note = Statement("UPDATE subject SET metadata = '{\"noted\": true}' RETURNING id")
    assert tenant_writes(world.globex.tenant.id, [note]) == [[(world.globex.subject.id,)]]
