"""Creating and retiring snapshots, seen through recall. Rows: S2, S3, P5, E2, T7."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import VersionMismatch
from memory_platform.kernel.ids import new_id
from profiles.provenance_and_verdict import Provenance, Verdict
from snapshots.errors import SnapshotUnknown
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.write_types import NewSnapshot, SnapshotAddress
from snapshots.models import Snapshot, SnapshotVector, SnapshotWords, SubjectMemory
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.embedding.world import version
from tests.snapshots.lifecycle.world import anything, create, create_one, recall_texts


def retire(house: House, address: SnapshotAddress) -> Snapshot:
    with tenant_tx(house.tenant.id):
        return retire_snapshot(address, accept=anything).snapshot


@pytest.mark.parametrize(
    ("text", "question"),
    [("Allergic to peanuts", "peanut allergy"), ("我对花生过敏", "能吃花生吗"), ("我對花生過敏", "花生过敏")],
)
def test_a_created_memory_is_recalled_at_once(world: World, text: str, question: str) -> None:
    create(world.acme, text, "Likes tea")
    assert recall_texts(world.acme, question)[0] == text
    assert recall_texts(world.globex, question) == []


def test_a_memory_of_each_kind_is_known_as_its_kind_says(world: World) -> None:
    create(world.acme, NewSnapshot("a"), NewSnapshot("b", kind="statement"), NewSnapshot("c", provenance="analysis"))
    with tenant_tx(world.acme.tenant.id):
        known = list(Snapshot.objects.order_by("position").values_list("provenance", "confidence"))
    assert known == [
        (Provenance.CONFIRMED_BY_USER, 1.0),
        (Provenance.OBSERVATION, 0.6),
        (Provenance.ANALYSIS, 0.8),
    ]


def test_a_memory_that_was_said_ahead_of_time_is_recalled_at_once(world: World) -> None:
    ahead = utc_now() + timedelta(hours=2)
    create(world.acme, NewSnapshot("Allergic to peanuts", said_at=ahead))
    assert recall_texts(world.acme, "peanut allergy") == ["Allergic to peanuts"]
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.get().said_at == ahead


def test_case_makes_a_difference_spacing_does_not(world: World) -> None:
    fates = create(world.acme, "Polish food", "polish food", "Polish  food\n")
    assert [fate.verdict for fate in fates] == [Verdict.STORED, Verdict.STORED, Verdict.UNCHANGED]


def test_what_only_differs_in_its_secret_is_the_same_memory(world: World) -> None:
    first, second = create(world.acme, "card 4111 1111 1111 1111", "card 5500 0000 0000 0004")
    assert (first.id, second.verdict) == (second.id, Verdict.UNCHANGED)


def test_saying_it_again_changes_nothing_but_its_validation(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    before = version(world.acme)
    with tenant_tx(world.acme.tenant.id):
        first = Snapshot.objects.get(id=address.snapshot_id)
    create(world.acme, NewSnapshot("Likes tea", topics=("drinks",), importance=1.0))
    with tenant_tx(world.acme.tenant.id):
        again = Snapshot.objects.get()
    assert (again.topics, again.importance, again.recorded_at) == ([], 0.5, first.recorded_at)
    assert again.last_validated_at > first.last_validated_at
    assert version(world.acme) > before


def test_a_refused_offer_leaves_the_memory_as_it_is(world: World) -> None:
    (fate,) = create(world.acme, NewSnapshot("Too sure", provenance="analysis", confidence=0.81))
    assert (fate.verdict, fate.id, fate.reason) == (Verdict.REJECTED, None, "confidence_above_ceiling")
    with tenant_tx(world.acme.tenant.id):
        assert not Snapshot.objects.exists()
        assert not SnapshotWords.objects.exists()


def test_a_retired_memory_is_not_recalled_but_was_known(world: World) -> None:
    address = create_one(world.acme, "Allergic to peanuts")
    held = utc_now()
    assert recall_texts(world.acme, "peanuts") == ["Allergic to peanuts"]
    retired = retire(world.acme, address)
    assert retired.retired_at is not None
    assert recall_texts(world.acme, "peanuts") == []
    assert recall_texts(world.acme, "peanuts", known_at=held) == ["Allergic to peanuts"]
    with tenant_tx(world.acme.tenant.id):
        assert SnapshotVector.objects.count() == 1


def test_what_is_retired_cannot_be_retired_again(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    retire(world.acme, address)
    for gone in (address, SnapshotAddress("ada", new_id()), SnapshotAddress("bob", address.snapshot_id)):
        with pytest.raises(SnapshotUnknown):
            retire(world.acme, gone)


def test_a_version_that_is_not_accepted_is_not_retired(world: World) -> None:
    address = create_one(world.acme, "Likes tea")

    def refuse(snapshot_id: object, version: int) -> None:
        raise VersionMismatch

    before = version(world.acme)
    with pytest.raises(VersionMismatch), tenant_tx(world.acme.tenant.id):
        retire_snapshot(address, accept=refuse)
    assert recall_texts(world.acme, "tea") == ["Likes tea"]
    assert version(world.acme) == before


def test_only_a_person_of_ours_leaves_an_audit_record(world: World) -> None:
    one, other = create_one(world.acme, "Likes tea"), create_one(world.acme, "Likes coffee")
    with tenant_tx(world.acme.tenant.id):
        before = AuditRecord.objects.count()
        retire_snapshot(one, accept=anything)
        assert AuditRecord.objects.count() == before
        retire_snapshot(other, accept=anything, by=COMMAND_LINE, reason="wrong person")
        record = AuditRecord.objects.latest("at")
    assert (record.action, record.object_id, record.reason) == (
        "snapshot.retired",
        str(other.snapshot_id),
        "wrong person",
    )


def test_each_subject_has_a_memory_of_its_own(world: World) -> None:
    create(world.acme, "Likes tea")
    create(world.globex, "Likes tea")
    for house in (world.acme, world.globex):
        with tenant_tx(house.tenant.id):
            assert SubjectMemory.objects.get().subject_id == house.subject.id
