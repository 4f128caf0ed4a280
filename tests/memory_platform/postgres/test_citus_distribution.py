"""The tables keep Citus's rules but for exceptions that are counted here. Citus itself cannot be had here. Rows: D6."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction

from memory_platform.postgres.citus_distribution import DistributionPlan, Rule, plan_distribution
from tests.flows.servers.pages import read_block

pytestmark = pytest.mark.usefixtures("database")
REFERENCES = {"tenant", "auth_user", "embedding_space"}
SET_NULL = {
    "api_key_rotated_to_id_tfk",
    "document_job_id_tfk",
    "note_about_tag_id_tfk",
    "preference_superseded_by_id_tfk",
    "profile_fact_superseded_by_id_tfk",
    "receipt_conversation_id_tfk",
    "snapshot_conversation_id_tfk",
    "snapshot_superseded_by_id_tfk",
    "tag_detail_superseded_by_id_tfk",
}
# What Citus provides, as far as statements are parsed and names are resolved.
STAND_IN = """
CREATE FUNCTION create_reference_table(regclass) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text DEFAULT 'default') RETURNS void
LANGUAGE sql AS ''
"""


@pytest.fixture
def plan() -> DistributionPlan:
    return plan_distribution(connections["owner"])


@contextmanager
def take_back_as_owner() -> Iterator[None]:
    """Take back what the block changes as the owner."""
    with transaction.atomic(using="owner"):
        yield
        transaction.set_rollback(True, using="owner")


def run(*statements: str) -> None:
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def list_broken(plan: DistributionPlan, *rules: Rule) -> set[tuple[str, str]]:
    return {(one.table, one.name) for one in plan.obstacles if one.rule in rules}


def test_keys_fit_a_distribution_by_tenant_but_for_known_ones(plan: DistributionPlan) -> None:
    """A new table that breaks a rule of keys turns this red: give it a key with the tenant."""
    assert list_broken(plan, Rule.LINK, Rule.DIRECTION) == set()
    assert list_broken(plan, Rule.UNIQUE) == {("api_key", "api_key_key_id_key")}
    assert {name for _, name in list_broken(plan, Rule.SET_NULL)} == SET_NULL


def test_the_wall_is_built_of_what_citus_takes_only_after_changes(plan: DistributionPlan) -> None:
    triggers = Counter(name.partition("_")[0] for _, name in list_broken(plan, Rule.TRIGGER))
    assert triggers == {"tenant": len(plan.distributed), "webhooks": triggers["webhooks"]}
    policies = Counter(name for _, name in list_broken(plan, Rule.POLICY))
    assert policies == {"own_tenant": len(plan.distributed), "own": 1, "leave": 1, "make": 1}
    assert all(one.statements for one in plan.obstacles if one.rule is Rule.POLICY)


def test_every_table_has_its_place_after_those_that_it_points_to(plan: DistributionPlan) -> None:
    assert set(plan.references) == REFERENCES
    assert len(plan.distributed) > 80
    assert "django_session" in plan.local
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        )
        tables = {name for (name,) in cursor.fetchall()}
    assert {*plan.references, *plan.distributed, *plan.local} == tables
    order = [*plan.references, *plan.distributed]
    assert order.index("subject") < order.index("message") < order.index("snapshot_source")


def test_the_statements_are_sql_and_take_the_obstacles_away(plan: DistributionPlan) -> None:
    with take_back_as_owner():
        run(*(statement for one in plan.obstacles for statement in one.statements))
        later = plan_distribution(connections["owner"])
        assert {one.rule for one in later.obstacles} == {Rule.TRIGGER}
        assert later.distributed == plan.distributed
        run(STAND_IN, *plan.list_statements())


def test_each_rule_is_found_broken() -> None:
    with take_back_as_owner():
        run(
            "CREATE TABLE broken (tenant_id uuid, id uuid UNIQUE, broken_id uuid REFERENCES broken (id))",
            "CREATE TABLE global (id uuid PRIMARY KEY, broken_id uuid REFERENCES broken (id))",
            "CREATE POLICY late ON broken USING (EXISTS (SELECT FROM tenant))",
        )
        obstacles = plan_distribution(connections["owner"]).obstacles
    found = {(one.rule, one.table) for one in obstacles if one.table in {"broken", "global"}}
    assert found == {
        (Rule.UNIQUE, "broken"),
        (Rule.LINK, "broken"),
        (Rule.DIRECTION, "global"),
        (Rule.POLICY, "broken"),
    }
    assert [one.statements for one in obstacles if one.name == "late"] == [()]


def test_the_command_prints_and_changes_nothing() -> None:
    """As docs/operations/citus.md says."""
    said = StringIO()
    _python, _manage, *words = read_block("docs/operations/citus.md#1").partition(">")[0].split()
    call_command(*words, stdout=said)
    lines = said.getvalue().splitlines()
    assert "SELECT create_reference_table('tenant');" in lines
    assert any(line.startswith("SELECT create_distributed_table('message', 'tenant_id'") for line in lines)
    assert any(line.startswith("-- Citus: a policy has no subquery. Broken ") for line in lines)
    with pytest.raises(CommandError, match="--dry-run"):
        call_command("distribute")
