"""Editing snapshots: what was stays known, what is found follows the words. Rows: S3, S4, P5, E2, R6."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.provenance_and_verdict import Verdict
from profiles.services.value_claims import ConfidenceAboveCeiling
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.errors import SnapshotUnknown
from snapshots.lifecycle.edit_snapshot import Edit, apply_edit, plan_edit
from snapshots.lifecycle.selectors import load_held_snapshot, load_snapshot_history
from snapshots.models import Snapshot, SnapshotVector, SnapshotVersion
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.embedding.world import counts, refused_vectors, version
from tests.snapshots.lifecycle.world import anything, create, create_one, edit, recall_texts

DAY = timedelta(days=1)


def test_recall_finds_the_new_words_and_not_the_old(world: World) -> None:
    address = create_one(world.acme, "Lives in Berlin")
    assert recall_texts(world.acme, "Berlin") == ["Lives in Berlin"]
    edited = edit(world.acme, address, text="搬到了上海")
    assert edited.verdict == Verdict.STORED
    assert recall_texts(world.acme, "上海") == ["搬到了上海"]
    with tenant_tx(world.acme.tenant.id):
        old, new = SnapshotVersion.objects.get(), Snapshot.objects.get()
    assert old.fields["text"] == "Lives in Berlin"
    assert (new.version, old.version) == (2, 1)
    assert "Lives in Berlin" not in recall_texts(world.acme, "Berlin")


def test_its_topics_are_found_too(world: World) -> None:
    address = create_one(world.acme, "No nuts")
    create(world.acme, "Likes tea")
    edit(world.acme, address, topics=["anaphylaxis"], category="health")
    assert recall_texts(world.acme, "anaphylaxis")[0] == "No nuts"


def test_an_edit_of_the_words_makes_new_vectors(world: World) -> None:
    address = create_one(world.acme, "Lives in Berlin")
    with tenant_tx(world.acme.tenant.id):
        before = SnapshotVector.objects.get().dated
    edit(world.acme, address, text="Lives in Shanghai")
    with tenant_tx(world.acme.tenant.id):
        assert SnapshotVector.objects.get().dated != before
    with tenant_tx(world.acme.tenant.id):
        moved = SnapshotVector.objects.get().dated
    edit(world.acme, address, importance=1.0)
    with tenant_tx(world.acme.tenant.id):
        assert SnapshotVector.objects.get().dated == moved


def test_while_pgvector_refuses_the_words_are_found_and_the_vectors_follow(world: World) -> None:
    address = create_one(world.acme, "Lives in Berlin")
    with refused_vectors():
        edit(world.acme, address, text="Lives in Shanghai")
        assert counts(world.acme) == (1, 1, 0)
        assert recall_texts(world.acme, "Shanghai") == ["Lives in Shanghai"]
    assert backfill_vectors(world.acme.tenant.id, 10, mask=mask_sensitive) == 1
    assert counts(world.acme) == (1, 1, 1)


def test_a_secret_in_an_edit_is_masked(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    snapshot = edit(world.acme, address, text="My PIN is 48213").sourced.snapshot
    assert "48213" not in snapshot.text
    assert snapshot.masked


def test_every_edit_raises_the_version_of_the_memory_an_empty_one_does_not(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    before = version(world.acme)
    assert edit(world.acme, address, importance=0.5, text="Likes tea").verdict == Verdict.UNCHANGED
    assert version(world.acme) == before
    edit(world.acme, address, importance=0.6)
    assert version(world.acme) == before + 1


def test_only_who_says_it_anew_validates_it(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    with tenant_tx(world.acme.tenant.id):
        made = Snapshot.objects.get()
    assert edit(world.acme, address, metadata={"a": 1}).sourced.snapshot.last_validated_at == made.last_validated_at
    assert edit(world.acme, address, confidence=0.9).sourced.snapshot.last_validated_at > made.last_validated_at


def test_confidence_follows_the_provenance_down_and_is_refused_above_it(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    assert edit(world.acme, address, provenance="observation").sourced.snapshot.confidence == 0.6
    with pytest.raises(ConfidenceAboveCeiling):
        edit(world.acme, address, confidence=0.61)
    both = edit(world.acme, address, provenance="analysis", confidence=0.8).sourced.snapshot
    assert (both.provenance, both.confidence) == ("analysis", 0.8)


def test_a_plan_of_an_older_version_is_not_applied(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    with tenant_tx(world.acme.tenant.id):
        plan = plan_edit(load_held_snapshot(address), Edit({"importance": 1.0}, mask_sensitive, anything))
    edit(world.acme, address, importance=0.7)
    with tenant_tx(world.acme.tenant.id):
        assert not apply_edit(plan, None)
        assert Snapshot.objects.get().importance == 0.7


def test_what_has_been_edited_to_expire_is_gone(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    edit(world.acme, address, expires_at=utc_now())
    with pytest.raises(SnapshotUnknown):
        edit(world.acme, address, importance=1.0)
    assert recall_texts(world.acme, "tea") == []


def test_another_moment_brings_its_clock_and_the_same_one_leaves_it(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    early = datetime(2026, 5, 8, 7, 0, tzinfo=timezone(timedelta(hours=8)))
    for said_at, offset in ((early, 480), (early.astimezone(UTC), 480), (early.astimezone(UTC) - DAY, None)):
        edit(world.acme, address, said_at=said_at)
        with tenant_tx(world.acme.tenant.id):
            made = Snapshot.objects.get()
        assert (made.said_at, made.said_offset) == (said_at, offset)
    with tenant_tx(world.acme.tenant.id):
        assert [state.snapshot.said_offset for state in load_snapshot_history(load_held_snapshot(address))] == [
            None,
            480,
            None,
        ]


def test_the_history_shows_every_state_with_its_time(world: World) -> None:
    address = create_one(world.acme, "Likes tea")
    said_at = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)
    edit(world.acme, address, said_at=said_at, metadata={"source": "form"})
    edit(world.acme, address, text="喜欢茶", topics=["drinks"])
    with tenant_tx(world.acme.tenant.id):
        first, second, third = load_snapshot_history(load_held_snapshot(address))
        made = Snapshot.objects.get()
    assert [state.snapshot.text for state in (first, second, third)] == ["Likes tea", "Likes tea", "喜欢茶"]
    assert first.snapshot.said_at != second.snapshot.said_at == third.snapshot.said_at == said_at
    assert [state.snapshot.metadata for state in (first, second)] == [{}, {"source": "form"}]
    assert [state.snapshot.version for state in (first, second, third)] == [1, 2, 3]
    assert first.recorded_at == made.recorded_at
    assert (first.retired_at, second.retired_at) == (second.recorded_at, third.recorded_at)
    assert third.retired_at is None
