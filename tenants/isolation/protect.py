"""``Protect``: the migration operation that isolates a table by tenant. Safe to repeat."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class Protect(Operation):
    """Give one tenant-owned table its composite keys, forced row-level security and write guard.

    PRIMARY KEY (tenant_id, id); for every foreign key to a tenant-owned table a composite one (tenant_id, x_id) with
    its index, ON DELETE CASCADE (SET NULL for the fields named in ``set_null``); a permissive base policy and a
    RESTRICTIVE tenant policy; a statement trigger that turns writes without a tenant into errors.

    ``append_only`` takes UPDATE and DELETE from the app role. ``lookup`` lets the lookup role read the table.
    ``write_only`` takes SELECT and UPDATE from the app role. Backwards it does nothing: DeleteModel drops it all.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(
        self,
        model_name: str,
        *,
        set_null: tuple[str, ...] = (),
        append_only: bool = False,
        write_only: bool = False,
        lookup: bool = False,
    ) -> None:
        self.model_name = model_name
        self.set_null = set_null
        self.append_only = append_only
        self.write_only = write_only
        self.lookup = lookup

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        options = ("set_null", "append_only", "write_only", "lookup")
        return self.__class__.__name__, [self.model_name], {o: getattr(self, o) for o in options if getattr(self, o)}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The model state does not change: all of this lives in the database."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        for statement in self._statements(model):
            schema_editor.execute(statement, params=None)  # None: a "%" in SQL stays as it is

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        pass

    def describe(self) -> str:
        return f"Protect {self.model_name} behind the tenant wall"

    def _statements(self, model: type[models.Model]) -> Iterator[str]:
        table, links = model._meta.db_table, foreign_keys_to_tenant_owned(model)
        # Indexes first: while a table is small the planner prefers the youngest of equals, and a key check that scans
        # one of these instead of the primary key reads the whole tenant.
        yield from (index(table, field.column) for field in links)
        yield primary_key(table)
        yield foreign_key(table, "tenant_id", "tenant", "(id)", "(tenant_id)", "CASCADE")
        for field in links:
            rule = f"SET NULL ({field.column})" if field.name in self.set_null else "CASCADE"
            yield composite_key(table, field, rule)
        yield from row_level_security(table, lookup=self.lookup)
        yield guard(table)
        if self.append_only:
            yield f"REVOKE UPDATE, DELETE ON {table} FROM {app_role()}"
        if self.write_only:
            yield f"REVOKE SELECT, UPDATE ON {table} FROM {app_role()}"


class MakeIndexes(Operation):
    """Make the indexes of ``tables`` now; Django would make them when the migration ends. :class:`Protect` in the same
    migration then sees them, and adds no index if one of them begins with the same columns."""

    reversible = True
    reduces_to_sql = True

    def __init__(self, *tables: str) -> None:
        self.tables = tables

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return self.__class__.__name__, list(self.tables), {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The model state has the indexes already."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        waiting = schema_editor.deferred_sql
        for statement in [one for one in waiting if any(one.references_table(table) for table in self.tables)]:
            waiting.remove(statement)
            schema_editor.execute(statement, params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """DeleteModel drops the table with its indexes."""

    def describe(self) -> str:
        return f"Make the indexes of {', '.join(self.tables)}"


def app_role() -> str:
    return _quote_name(settings.DATABASES["default"]["USER"])


def owner_role() -> str:
    return _quote_name(settings.DATABASES["owner"]["USER"])


def lookup_role() -> str:
    return _quote_name(settings.LOOKUP_ROLE)


def foreign_keys_to_tenant_owned(model: type[models.Model]) -> list[models.ForeignKey[Any, Any]]:
    return [
        field
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.ForeignKey) and _is_tenant_owned(field.related_model)
    ]


def primary_key(table: str) -> str:
    return f"""
DO $$ BEGIN
  IF (SELECT array_length(conkey, 1) FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'p') = 1 THEN
    ALTER TABLE {table} DROP CONSTRAINT {table}_pkey CASCADE, ADD CONSTRAINT {table}_pkey PRIMARY KEY (tenant_id, id);
  END IF;
END $$"""


def foreign_key(table: str, column: str, parent: str, target: str, columns: str, rule: str) -> str:
    name = f"{table}_{column}_tfk"
    return f"""
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = '{table}'::regclass AND conname = '{name}') THEN
    ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY {columns} REFERENCES {parent} {target} ON DELETE {rule};
  END IF;
END $$"""


def composite_key(table: str, field: models.ForeignKey[Any, Any], rule: str) -> str:
    parent, column = field.related_model._meta.db_table, field.column
    return foreign_key(table, column, parent, "(tenant_id, id)", f"(tenant_id, {column})", rule)


def index(table: str, column: str) -> str:
    """Return SQL for the index without which deleting a parent scans the table; none if another index begins so."""
    return f"""
DO $$ BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM pg_index i
    JOIN pg_attribute first ON first.attrelid = i.indrelid AND first.attnum = i.indkey[0]
    JOIN pg_attribute second ON second.attrelid = i.indrelid AND second.attnum = i.indkey[1]
    WHERE i.indrelid = '{table}'::regclass AND i.indpred IS NULL
      AND first.attname = 'tenant_id' AND second.attname = '{column}'
  ) THEN CREATE INDEX {table}_{column}_tix ON {table} (tenant_id, {column}); END IF;
END $$"""


def row_level_security(table: str, *, lookup: bool) -> Iterator[str]:
    """Yield SQL that forces row-level security with the base, tenant and (on request) lookup policies."""
    own = "tenant_id = (SELECT app.tid())"
    yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
    yield policy(table, "base", f"FOR ALL TO {app_role()}, {owner_role()} USING (true) WITH CHECK (true)")
    yield policy(
        table,
        "own_tenant",
        f"AS RESTRICTIVE FOR ALL TO {app_role()}, {owner_role()} USING ({own}) WITH CHECK ({own})",
    )
    if lookup:
        yield policy(table, "lookup", f"FOR SELECT TO {lookup_role()} USING (true)")
        yield f"GRANT SELECT ON {table} TO {lookup_role()}"


def policy(table: str, name: str, body: str) -> str:
    return f"DROP POLICY IF EXISTS {name} ON {table}; CREATE POLICY {name} ON {table} {body}"


def guard(table: str) -> str:
    """Return SQL for a trigger: without it, UPDATE and DELETE outside a tenant silently change no rows."""
    return f"""
CREATE OR REPLACE TRIGGER tenant_guard BEFORE INSERT OR UPDATE OR DELETE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_write_without_tenant()"""


def _is_tenant_owned(model: object) -> bool:
    return (
        isinstance(model, type)
        and issubclass(model, models.Model)
        and any(f.name == "tenant" for f in model._meta.fields)
    )


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
