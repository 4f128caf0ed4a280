"""A tenant's policy has versions that never change; one of them is active. Rows: T4, T7."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memory_platform.kernel.errors import InvalidInput, VersionMismatch
from tenants.errors import PolicyUnchanged, PolicyUnknown
from tenants.isolation import tenant_tx
from tenants.isolation.scope import tenant_reads
from tenants.models import AuditRecord, PolicyVersion, Tenant
from tenants.policies.policy_documents import Change
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key
from tenants.services.policies import (
    ActivePolicy,
    activate_version,
    active_number,
    build_active_policy,
    build_active_policy_statement,
    compare_versions,
    create_version,
    load_active_section,
    propose,
    roll_back,
    version_by_number,
)
from tests.conftest import World
from tests.tenants.policies.test_policy_documents import SECTIONS
from tests.tenants.services.test_job_runs import at_once

STRONG = {"tea": {"cups": 4, "sweet": True}}


@pytest.fixture
def acme(world: World) -> Iterator[World]:
    """The world, inside acme."""
    with tenant_tx(world.acme.tenant.id):
        yield world


def make_version(changes: Any, **how: Any) -> PolicyVersion:
    return create_version(propose(changes, SECTIONS, **how), by=COMMAND_LINE, reason="浓一点")


def activate(number: int) -> PolicyVersion:
    return activate_version(number, by=COMMAND_LINE, reason="as tasted")


def audit_rows() -> list[tuple[str, str, str]]:
    records = AuditRecord.objects.filter(object_kind="policy_version").order_by("at", "id")
    return list(records.values_list("action", "object_id", "reason"))


def read_active_policy(world: World) -> ActivePolicy:
    tenant_id = world.acme.tenant.id
    return build_active_policy(tenant_reads(tenant_id, [build_active_policy_statement(tenant_id)])[0])


def test_every_tenant_begins_with_a_version_that_overrides_nothing(acme: World) -> None:
    assert list(PolicyVersion.objects.values_list("number", "document")) == [(1, {})]
    assert active_number() == 1


def test_a_version_is_made_compared_activated_and_rolled_back_on_record(acme: World) -> None:
    second = make_version(STRONG)
    third = make_version({"tea": {"cups": 9}}, remove=["tea.sweet"], based_on=2)
    assert (second.number, second.based_on, third.number, third.document) == (2, 1, 3, {"tea": {"cups": 9}})
    assert compare_versions(2, 3, SECTIONS) == [Change("tea", "cups", 4, 9), Change("tea", "sweet", True, False)]
    assert (active_number(), load_active_section("tea")) == (1, {})

    activate(3)
    assert (active_number(), load_active_section("tea")) == (3, {"cups": 9})
    activate(2)
    activate(2)
    assert (active_number(), load_active_section("tea"), load_active_section("other")) == (2, STRONG["tea"], {})
    assert audit_rows() == [
        ("policy.created", "2", "浓一点"),
        ("policy.created", "3", "浓一点"),
        ("policy.activated", "3", "as tasted"),
        ("policy.activated", "2", "as tasted"),
    ]


def test_rolling_back_makes_a_version_that_says_the_same(acme: World) -> None:
    make_version(STRONG)
    activate(2)
    again = roll_back(1, SECTIONS, by=COMMAND_LINE, reason="苦")
    assert (again.number, again.based_on, again.document, active_number()) == (3, 1, {}, 3)
    with pytest.raises(PolicyUnchanged):
        roll_back(1, SECTIONS, by=COMMAND_LINE, reason="苦")
    with pytest.raises(PolicyUnknown):
        roll_back(9, SECTIONS, by=COMMAND_LINE, reason="苦")
    assert audit_rows()[-2:] == [("policy.created", "3", "苦"), ("policy.activated", "3", "苦")]


def test_a_proposal_writes_nothing_and_tells_what_would_differ(acme: World) -> None:
    proposal = propose(STRONG, SECTIONS)
    assert proposal.changes == [Change("tea", "cups", 2, 4), Change("tea", "sweet", False, True)]
    assert PolicyVersion.objects.count() == 1


def test_what_cannot_be_is_refused(acme: World) -> None:
    with pytest.raises(InvalidInput):
        propose({"tea": {"cups": 99}}, SECTIONS)
    with pytest.raises(InvalidInput):
        propose({}, SECTIONS, remove=["tea.leaf"])
    with pytest.raises(PolicyUnchanged):
        propose({"tea": {"cups": 2}}, SECTIONS)
    with pytest.raises(PolicyUnknown):
        propose(STRONG, SECTIONS, based_on=7)
    with pytest.raises(PolicyUnknown):
        activate(7)
    assert audit_rows() == []


def test_who_saw_another_policy_activates_nothing(acme: World) -> None:
    def stale(*seen: object) -> None:
        raise VersionMismatch(str(seen[1]))

    make_version(STRONG)
    with pytest.raises(VersionMismatch, match="1"):
        activate_version(2, by=COMMAND_LINE, reason="", accept=stale)
    assert active_number() == 1


def test_versions_cannot_be_changed_or_removed(acme: World) -> None:
    for act in (
        lambda: PolicyVersion.objects.update(document={"tea": {}}),
        lambda: PolicyVersion.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
    assert version_by_number(1).document == {}


def test_the_check_of_a_key_tells_a_new_epoch_and_what_belongs_to_it_is_read_in_one_look(world: World) -> None:
    before = authenticate_key(world.acme.token)
    with tenant_tx(world.acme.tenant.id):
        make_version(STRONG)
        activate(2)
    after = authenticate_key(world.acme.token)
    assert (before.policy_version, after.policy_version) == (1, 2)
    assert after.policy_epoch > before.policy_epoch
    assert read_active_policy(world) == ActivePolicy(after.policy_epoch, 2, {2: STRONG})
    assert authenticate_key(world.globex.token).policy_version == 1


def test_another_tenant_has_versions_of_its_own(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        make_version(STRONG)
    with tenant_tx(world.globex.tenant.id):
        with pytest.raises(PolicyUnknown):
            version_by_number(2)
        assert make_version({"tea": {"cups": 1}}).number == 2
    assert set(Tenant.objects.values_list("policy_version", flat=True)) == {1}


def test_versions_made_at_once_have_numbers_of_their_own_and_none_is_lost(world: World) -> None:
    tops = iter(range(3, 9))

    def work() -> None:
        with tenant_tx(world.acme.tenant.id):
            number = make_version({"tea": {"cups": next(tops)}}).number
            activate(number)

    at_once(work, threads=6)
    with tenant_tx(world.acme.tenant.id):
        assert sorted(PolicyVersion.objects.values_list("number", flat=True)) == list(range(1, 8))
        tenant = Tenant.objects.get(id=world.acme.tenant.id)
        assert tenant.policy_epoch == 7
        assert len([one for one in audit_rows() if one[0] == "policy.activated"]) == 6
