"""What steers an answer: the active version, or that of the subject's arm; read once an epoch. Rows: T4, T5."""

from typing import Any
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from snapshots.policies.effective_policies import Policies, load_effective_policies, load_effective_policies_in_scope
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.policies.arms import Arm
from tenants.services.audit import COMMAND_LINE
from tenants.services.experiments import create_experiment, end_experiment, start_experiment
from tenants.services.keys import Caller, authenticate_key
from tenants.services.policies import activate_version, create_version, propose
from tenants.services.tenants import change_tenant
from tests.conftest import House, World

SHORT = {"recall": {"top_k": 3}, "context": {"memory": 700}, "ranking": {"use_recency": False}}


def make(house: House, changes: Any, *, activate: bool = False) -> int:
    """Make a version of a tenant's policy; return its number."""
    with tenant_tx(house.tenant.id):
        number = create_version(propose(changes, SECTIONS), by=COMMAND_LINE, reason="test").number
        if activate:
            activate_version(number, by=COMMAND_LINE, reason="test")
    return number


def experiment(house: House, *arms: Arm) -> UUID:
    """Start an experiment; return its id."""
    with tenant_tx(house.tenant.id):
        made = create_experiment("trial", arms, by=COMMAND_LINE, reason="test")
        return start_experiment(made.id, by=COMMAND_LINE, reason="test").id


def caller(house: House) -> Caller:
    return authenticate_key(house.token)


def policies_for(house: House, subject: str = "ada") -> Policies:
    return load_effective_policies(house.tenant.id, caller(house).policy_epoch, subject)


def test_a_tenant_that_says_nothing_has_the_defaults(world: World) -> None:
    assert policies_for(world.acme) == Policies()


def test_an_active_version_steers_with_the_next_request_and_is_read_once(world: World) -> None:
    policies_for(world.acme)
    number = make(world.acme, SHORT)
    assert policies_for(world.acme) == Policies()
    with tenant_tx(world.acme.tenant.id):
        activate_version(number, by=COMMAND_LINE, reason="test")

    now = policies_for(world.acme)
    assert (now.version, now.top_k, now.context.memory, now.recall.ranking.use_recency) == ("2", 3, 700, False)
    assert (now.context.total, now.recall.ranking.use_confidence) == (6000, True)
    assert policies_for(world.globex) == Policies()
    epoch = caller(world.acme).policy_epoch
    with CaptureQueriesContext(connection) as queries:
        assert load_effective_policies(world.acme.tenant.id, epoch, "ada") == now
    assert len(queries) == 0


def test_a_roll_back_steers_again(world: World) -> None:
    make(world.acme, SHORT, activate=True)
    assert policies_for(world.acme).version == "2"
    with tenant_tx(world.acme.tenant.id):
        activate_version(1, by=COMMAND_LINE, reason="worse")
        assert load_effective_policies_in_scope(world.acme.tenant.id, "ada") == Policies()
    assert policies_for(world.acme) == Policies()


def test_subjects_of_an_arm_are_steered_by_its_version_until_it_ends(world: World) -> None:
    number = make(world.acme, SHORT)
    trial = experiment(world.acme, Arm("as it is", 1, 45), Arm("短", number, 45))
    found = {policies_for(world.acme, f"s{n}").arm: policies_for(world.acme, f"s{n}") for n in range(100)}
    assert found.keys() == {"", "as it is", "短"}
    assert found[""] == Policies()
    assert found["as it is"] == Policies(experiment="trial", arm="as it is")
    assert (found["短"].version, found["短"].top_k, found["短"].experiment) == ("2", 3, "trial")

    with tenant_tx(world.acme.tenant.id):
        end_experiment(trial, by=COMMAND_LINE, reason="test")
    assert {policies_for(world.acme, f"s{n}").arm for n in range(100)} == {""}


def test_a_locale_reaches_prompts_with_the_next_request(world: World) -> None:
    assert policies_for(world.acme).tenant_locale is None
    before = caller(world.acme).policy_epoch
    with tenant_tx(world.acme.tenant.id):
        change_tenant(world.acme.tenant, name="Acme", locale="zh-CN")
    assert policies_for(world.acme).tenant_locale == "zh-CN"
    assert policies_for(world.globex).tenant_locale is None
    with tenant_tx(world.acme.tenant.id):
        change_tenant(world.acme.tenant, name="Acme again", locale="zh-CN")
    assert caller(world.acme).policy_epoch == before + 1
