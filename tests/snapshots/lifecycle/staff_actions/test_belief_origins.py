"""What a belief was learned from ends with it, in one transaction, and comes back with it. Rows: D2, P4, T7."""

from typing import Any

import pytest

from profiles.models import Preference
from profiles.services.preferences import record_preference
from profiles.services.value_claims import make_stated_claim
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.belief_origins import OriginChanged, find_origins, retire_origins
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, confirm_memory, correct_belief, retire_memory
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, find_retired_origins, undo_act
from snapshots.models import MemoryAct, PreferenceSource, Snapshot, SnapshotKind
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord
from tenants.services.audit import Actor
from tests.conftest import House, World
from tests.snapshots.understanding.making import say, settle

SAM = ActContext(Actor(ActorKind.STAFF, "7"), "she said so on the phone 电话")
SAID = {
    "en": ("From now on always take the highway when you navigate.", "side streets"),
    "zh": ("以后导航都走高速。", "地面道路"),
}


@pytest.fixture(params=sorted(SAID))
def stated_wish(world: World, request: pytest.FixtureRequest) -> tuple[House, str]:
    """Ada's wish as she said it, beside something else, and what is right."""
    said, right = SAID[request.param]
    say(world.acme, "My sister works in a bakery in Lyon.", said)
    settle(world.acme)
    return world.acme, right


def wish() -> Any:
    return Preference.objects.select_related("subject").get(
        key="route", invalid_at=None, retired_at=None, version_of=None
    )


def in_use() -> set[str]:
    return set(Snapshot.objects.filter(build_current_snapshot_condition()).values_list("text", flat=True))


def origin_versions(row: Any) -> dict[Any, int]:
    return dict(find_origins(row).values_list("id", "version"))


def test_the_statement_ends_with_the_value_and_comes_back_with_it(stated_wish: tuple[House, str]) -> None:
    house, right = stated_wish
    with tenant_tx(house.tenant.id):
        row, before = wish(), in_use()
        told_in = list(find_origins(row))
        assert {one.kind for one in told_in} == {SnapshotKind.STATEMENT, SnapshotKind.NOTE}
        texts = {one.text for one in told_in}
        made = correct_belief(row, right, SAM)
        retire_origins(row, origin_versions(row), SAM, holds=made)
        assert in_use() == before - texts
        act = find_last_act(made)
        assert act is not None
        assert {one.text for one in find_retired_origins(act)} == texts
        audited = AuditRecord.objects.filter(reason=SAM.reason).order_by("id").values_list("action", "object_id")
        gone = [("snapshot.retired", str(one.id)) for one in told_in]
        assert list(audited) == [("memory.corrected", str(made.id)), *gone]
    with tenant_tx(house.tenant.id):
        assert undo_act(house.subject, act.id, SAM) == row.id
        assert in_use() == before
        assert wish().value == row.value
        assert not MemoryAct.objects.filter(undone_at=None).exists()


def test_a_retired_belief_takes_only_what_was_chosen_with_it(stated_wish: tuple[House, str]) -> None:
    house, _right = stated_wish
    with tenant_tx(house.tenant.id):
        row, before = wish(), in_use()
        versions = origin_versions(row)
        retire_memory(row, SAM)
        assert retire_origins(row, {}, SAM, holds=row) == []
        assert in_use() == before
        stranger = Snapshot.objects.get(text__contains="Lyon", kind=SnapshotKind.STATEMENT)
        assert retire_origins(row, {stranger.id: stranger.version}, SAM, holds=row) == []
        assert in_use() == before
        assert len(retire_origins(row, versions, SAM, holds=row)) == len(versions) == 2


def test_what_says_something_else_by_now_stops_the_act(stated_wish: tuple[House, str]) -> None:
    house, right = stated_wish
    with tenant_tx(house.tenant.id):
        row = wish()
        versions = origin_versions(row)
        said = find_origins(row).get(kind=SnapshotKind.STATEMENT)
        confirm_memory(said, SAM)
        made = correct_belief(row, right, SAM)
        with pytest.raises(OriginChanged):
            retire_origins(row, versions, SAM, holds=made)


def test_what_others_did_to_a_statement_since_stays(stated_wish: tuple[House, str]) -> None:
    house, right = stated_wish
    with tenant_tx(house.tenant.id):
        row = wish()
        said = find_origins(row).get(kind=SnapshotKind.STATEMENT)
        made = correct_belief(row, right, SAM)
        retire_origins(row, {said.id: said.version}, SAM, holds=made)
        its_own, act = find_last_act(said), find_last_act(made)
        assert its_own is not None
        assert act is not None
        undo_act(house.subject, its_own.id, SAM)
        assert find_retired_origins(act) == []
        retire_memory(said, SAM)
        undo_act(house.subject, act.id, SAM)
        assert said.text not in in_use()
        assert wish().value == row.value


def test_the_same_value_again_retires_nothing(stated_wish: tuple[House, str]) -> None:
    house, _right = stated_wish
    with tenant_tx(house.tenant.id):
        row, before = wish(), in_use()
        same = correct_belief(row, row.value, SAM)
        assert retire_origins(row, origin_versions(row), SAM, holds=same) == []
        assert in_use() == before


def test_what_stands_behind_another_value_or_person_is_none_of_its_origins(stated_wish: tuple[House, str]) -> None:
    house, _right = stated_wish
    with tenant_tx(house.tenant.id):
        record_preference(house.subject, "food", "likes", make_stated_claim("花生"))
        assert not find_origins(Preference.objects.get(key="likes")).exists()
        assert PreferenceSource.objects.filter(memory_id=wish().id).exists()
