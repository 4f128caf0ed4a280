"""A release with other defaults leaves a version of its own; experiments keep theirs. Rows: T4, T5."""

from importlib import import_module

from django.db import connection

from snapshots.policies.effective_policies import build_policies, load_effective_policies_in_scope
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.models import Experiment, PolicyVersion, Tenant
from tenants.policies.arms import Arm, read_arms
from tenants.services.experiments import create_experiment, end_experiment, start_experiment
from tenants.services.policies import activate_version, active_number, create_version, propose, version_by_number
from tests.conftest import World
from tests.tenants.services.test_experiments import BY

MIGRATION = import_module("tenants.migrations.0011_releases_have_policy_versions")
WANTED = {"context": {"profile": 450}, "recall": {"top_k": 5}}


def upgrade() -> None:
    with connection.cursor() as cursor:
        cursor.execute(MIGRATION.ADD_VERSIONS)


def test_an_upgrade_adds_a_version_that_says_what_the_active_one_says_and_steers_once(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        made = create_version(propose(WANTED, SECTIONS), **BY)
        activate_version(made.number, **BY)
        before = Tenant.objects.get(id=world.acme.tenant.id).policy_epoch
    upgrade()
    upgrade()
    for house, number, document in ((world.acme, 3, WANTED), (world.globex, 2, {})):
        with tenant_tx(house.tenant.id):
            newest = PolicyVersion.objects.latest("number")
            assert (newest.number, newest.document, newest.reason) == (number, document, "defaults of release 2")
            assert (active_number(), newest.based_on) == (number, number - 1)
    with tenant_tx(world.acme.tenant.id):
        assert Tenant.objects.get(id=world.acme.tenant.id).policy_epoch == before + 1


def test_experiments_that_have_not_ended_go_on_with_the_values_of_release_1(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        made = create_version(propose(WANTED, SECTIONS), **BY)
        arms = (Arm("as it is", 1, 60), Arm("more", made.number, 40))
        over, running = (create_experiment(name, arms, **BY) for name in ("over", "running"))
        start_experiment(over.id, **BY)
        end_experiment(over.id, **BY)
        start_experiment(running.id, **BY)
    upgrade()
    with tenant_tx(world.acme.tenant.id):
        assert [arm.policy_version for arm in read_arms(Experiment.objects.get(id=over.id).arms)] == [1, 2]
        now = read_arms(Experiment.objects.get(id=running.id).arms)
        assert [(arm.name, arm.percent, arm.policy_version) for arm in now] == [("as it is", 60, 3), ("more", 40, 4)]
        assert [arm.buckets for arm in now] == [arm.buckets for arm in read_arms(running.arms)]
        plain, more = (build_policies(number, version_by_number(number).document) for number in (3, 4))
        assert (plain.context.profile, plain.context.memory, plain.context.detect_phase) == (300, 2000, True)
        assert dict(plain.context.tier_by_intent)["recommendation"] == "strong"
        assert (more.context.profile, more.context.memory, more.top_k) == (450, 2000, 5)
        assert {version_by_number(number).document.keys() <= SECTIONS.keys() for number in (3, 4)} == {True}
        assert active_number() == 5
        assert load_effective_policies_in_scope(world.acme.tenant.id, "ada").version in {"3", "4"}
