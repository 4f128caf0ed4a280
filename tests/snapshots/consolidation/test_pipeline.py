"""What says nearly the same becomes one: idempotent, previewable, reversible, and people win. Rows: E3, P4, P5, S3."""

from collections.abc import Sequence
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.providers.registry import embedders
from profiles.provenance_and_verdict import Provenance
from snapshots.consolidation.consolidation_store import ConsolidationUndone, build_draft, join_group, undo_consolidation
from snapshots.consolidation.joined_text import JoinedText, join_by_rules
from snapshots.consolidation.pipeline import (
    consolidate_subject,
    consolidate_tenant,
    find_groups,
    preview_consolidation,
)
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.embedding.upkeep.vector_backfill import preview_backfill
from snapshots.lifecycle.selectors import load_snapshot_history
from snapshots.models import Consolidation, Snapshot, SnapshotSource
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.job_runs import TenantTurn
from tests.conftest import House, World
from tests.snapshots.held import remember, say

SAME = ("I love spicy ramen noodles", "I really love spicy ramen noodles", "I love the spicy ramen noodles")
SEATS = ("我坐飞机喜欢靠窗的座位", "坐飞机我喜欢靠窗座位", "我坐飞机都喜欢靠窗的座位")

MODELS = embedders("wordllama,use")


def consolidate(house: House) -> int:
    return consolidate_subject(house.tenant.id, house.subject.id, MODELS)


def preview(house: House) -> dict[str, int]:
    return dict(preview_consolidation(house.tenant.id, MODELS).counts)


def current(house: House) -> list[Snapshot]:
    with tenant_tx(house.tenant.id):
        return list(Snapshot.objects.filter(invalid_at__isnull=True, retired_at__isnull=True).order_by("position"))


def rows(house: House, ids: Sequence[UUID]) -> list[Snapshot]:
    with tenant_tx(house.tenant.id):
        return [Snapshot.objects.get(id=one) for one in ids]


def undo(house: House) -> None:
    with tenant_tx(house.tenant.id):
        undo_consolidation(house.subject, Consolidation.objects.get(undone_at__isnull=True).id, by=COMMAND_LINE)


@pytest.mark.parametrize("texts", [SAME, SEATS])
def test_three_become_one_with_all_their_sources(world: World, texts: tuple[str, ...]) -> None:
    house = world.acme
    messages = say(house, *texts)
    ids = remember(house, *texts, messages=messages, topics=("food",), importance=0.7, confidence=0.6)
    remember(house, "I prefer aisle seats in trains")
    assert preview(house) == {"groups": 1, "memories": 3}
    assert consolidate(house) == 3
    joined = current(house)[-1]
    assert (joined.kind, joined.provenance, joined.expires_at) == ("consolidated", Provenance.ANALYSIS, None)
    assert (joined.text, joined.topics) == (max(texts, key=len), ["food"])
    assert [joined.importance, joined.confidence] == pytest.approx([0.7, 0.6])
    with tenant_tx(house.tenant.id):
        sources = SnapshotSource.objects.filter(memory=joined).values_list("message_id", flat=True)
        assert set(sources) == {message.id for message in messages}
        note = Consolidation.objects.get()
        assert (note.memory_ref, set(note.members)) == (joined.id, set(ids))
        assert note.similarity > 0.85
    for member in rows(house, ids):
        assert member.superseded_by_id == joined.id
        assert member.invalid_at == joined.valid_at
        assert member.retired_at is None, "as_of before now still shows it"
        with tenant_tx(house.tenant.id):
            assert [state.snapshot.superseded_by_id for state in load_snapshot_history(member)] == [None, joined.id]


def test_a_preview_stops_at_its_time_and_says_so(world: World) -> None:
    acme = world.acme
    remember(acme, *SAME)
    whole = preview_consolidation(acme.tenant.id, MODELS)
    assert (whole.counts["groups"], whole.is_partial) == (1, False)
    part = preview_consolidation(acme.tenant.id, MODELS, lasting=timedelta(0))
    assert (part.counts["groups"], part.is_partial) == (0, True)
    assert preview_backfill(acme.tenant.id, 10, lasting=timedelta(0)).is_partial


def test_again_it_finds_nothing_and_two_more_join_the_joined_one(world: World) -> None:
    house = world.acme
    remember(house, *SAME)
    assert (consolidate(house), consolidate(house)) == (3, 0)
    assert preview(house) == {"groups": 0, "memories": 0}
    remember(house, SAME[0])
    assert consolidate(house) == 0
    remember(house, SAME[1])
    assert consolidate(house) == 3
    assert len(current(house)) == 1


def test_it_is_taken_apart_again_and_stays_so(world: World) -> None:
    house = world.acme
    ids = remember(house, *SAME)
    before = [(one.text, one.confidence, one.said_at, one.expires_at) for one in rows(house, ids)]
    consolidate(house)
    undo(house)
    assert [one.id for one in current(house)] == ids
    assert [(one.text, one.confidence, one.said_at, one.expires_at) for one in current(house)] == before
    assert consolidate(house) == 0, "a person's word stands"
    remember(house, *SAME)
    assert consolidate(house) == 4, "the three new ones with one of the old, never two of those"
    with tenant_tx(house.tenant.id):
        undone = Consolidation.objects.get(undone_at__isnull=False)
        with pytest.raises(ConsolidationUndone):
            undo_consolidation(house.subject, undone.id, by=COMMAND_LINE)
        with pytest.raises(NotFound):
            undo_consolidation(house.subject, uuid4(), by=COMMAND_LINE)


@pytest.mark.parametrize(
    ("third", "columns"),
    [
        ("I do not love spicy ramen noodles", {}),
        ("I love spicy ramen noodles 2", {}),
        ("I love mild ramen noodles", {}),
        (SAME[2], {"name": "Bob"}),
        (SAME[2], {"kind": "conversation"}),
        (SAME[2], {"kind": "manual"}),
        (SAME[2], {"category": "travel"}),
        (SAME[2], {"masked": True}),
        (SAME[2], {"expires_at": utc_now() - timedelta(days=1)}),
        ("Yesterday I love spicy ramen noodles", {}),
    ],
)
def test_two_and_another_are_not_three(world: World, third: str, columns: dict[str, Any]) -> None:
    house = world.acme
    remember(house, *SAME[:2])
    remember(house, third, **columns)
    assert consolidate(house) == 0


def test_what_names_a_time_is_never_joined(world: World) -> None:
    house = world.acme
    remember(house, *["I had ramen with Tom yesterday"] * 3)
    assert consolidate(house) == 0


def test_an_edit_between_reading_and_writing_wins(world: World) -> None:
    house = world.acme
    ids = remember(house, *SAME)
    (group,) = find_groups(house.tenant.id, house.subject.id, MODELS)
    with tenant_tx(house.tenant.id):
        draft = build_draft(house.subject.id, group, JoinedText(join_by_rules(group)))
    assert draft is not None
    (prepared,) = prepare_snapshots([draft], MODELS)
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id=ids[1]).update(text="I hate ramen", version=2)
        assert not join_group(group, prepared)
    assert [one.id for one in current(house)] == ids


def test_two_at_once_join_once(world: World) -> None:
    house, together, joined = world.acme, Barrier(2), list[int]()
    remember(house, *SAME)

    def one() -> None:
        together.wait(5)
        joined.append(consolidate(house))
        connection.close()

    threads = [Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(joined) == [0, 3]
    with tenant_tx(house.tenant.id):
        assert Consolidation.objects.count() == 1


def test_tenants_stay_apart_and_a_turn_marks_its_subjects(world: World) -> None:
    for house in (world.acme, world.globex):
        remember(house, *SAME)
    marks: list[tuple[UUID | None, int]] = []
    turn = TenantTurn(world.acme.tenant.id, note=lambda subject, count: marks.append((subject, count)))
    assert consolidate_tenant(turn, MODELS) == 0
    assert marks == [(world.acme.subject.id, 3)]
    assert len(current(world.globex)) == 3
    turn = TenantTurn(world.globex.tenant.id, after=world.globex.subject.id)
    assert consolidate_tenant(turn, MODELS) == 0
    assert len(current(world.globex)) == 3, "an earlier worker came to the last subject already"


def test_without_embedding_models_nothing_is_joined(world: World) -> None:
    house = world.acme
    remember(house, *SAME)
    assert consolidate_subject(house.tenant.id, house.subject.id, ()) == 0
