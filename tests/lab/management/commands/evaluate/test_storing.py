"""What an evaluation stores, and what the next one makes of it. Rows: D4."""

from pathlib import Path

import orjson
import pytest

from lab.evaluation.datasets.scratch_tenant import index_again
from lab.evaluation.run_file import run_id
from snapshots.models import Message, Snapshot, SnapshotVector, SnapshotWords, SubjectMemory, Work, WorkState
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tests.lab.evaluation.dataset import bilingual, write_dataset
from tests.lab.management.commands.evaluate.evaluating import evaluate, make_run

pytestmark = pytest.mark.usefixtures("database")


def test_what_it_stores_is_what_it_would_index_again(tmp_path: Path) -> None:
    assert "other code" not in evaluate(write_dataset(tmp_path))


def test_a_repeat_is_the_same_run_in_the_same_tenant(tmp_path: Path) -> None:
    first = make_run(tmp_path)
    (tenant,) = Tenant.objects.all()
    with tenant_tx(tenant.id):
        before = list(Work.objects.order_by("id").values()), list(SubjectMemory.objects.order_by("id").values())

    path = tmp_path / "again.json"
    said = evaluate(write_dataset(tmp_path), "--json", str(path))

    assert "stored already" in said
    assert orjson.loads(path.read_bytes()) == first
    assert first["run_id"] == run_id(first)
    with tenant_tx(tenant.id):
        after = list(Work.objects.order_by("id").values()), list(SubjectMemory.objects.order_by("id").values())
    assert after == before


def test_another_file_never_meets_what_the_first_one_stored(tmp_path: Path) -> None:
    evaluate(write_dataset(tmp_path))
    content = bilingual()
    content["subjects"][0]["conversations"][0]["messages"][0]["content"] = "I have always lived in Lisbon."
    evaluate(write_dataset(tmp_path, content))

    tenants = list(Tenant.objects.all())
    assert len(tenants) == 2
    for tenant in tenants:
        assert tenant.slug.startswith("evaluation-")
        with tenant_tx(tenant.id):
            assert Message.objects.count() == 10


def test_a_stopped_run_is_taken_up(tmp_path: Path) -> None:
    evaluate(write_dataset(tmp_path))
    (tenant,) = Tenant.objects.all()
    with tenant_tx(tenant.id):
        Message.objects.filter(external_id="c2-0").delete()

    assert "Loading" in evaluate(write_dataset(tmp_path))
    with tenant_tx(tenant.id):
        assert Message.objects.count() == 10
        assert not Work.objects.exclude(state=WorkState.DONE).exists()


def test_memories_of_other_code_are_indexed_again(tmp_path: Path) -> None:
    evaluate(write_dataset(tmp_path))
    (tenant,) = Tenant.objects.all()
    with tenant_tx(tenant.id):
        before = dict(SnapshotWords.objects.values_list("snapshot_id", "words"))
        sayings = dict(SnapshotWords.objects.values_list("snapshot_id", "saying"))
        first, second, third = sorted(before)[:3]
        SnapshotWords.objects.filter(snapshot_id=first).update(words=b"")
        SnapshotWords.objects.filter(snapshot_id=third).update(saying=None)
        SnapshotVector.objects.filter(snapshot_id=second).delete()
        memory = SubjectMemory.objects.get(subject_id=Snapshot.objects.get(id=first).subject_id)

    assert index_again(tenant.id) == 3
    with tenant_tx(tenant.id):
        assert dict(SnapshotWords.objects.values_list("snapshot_id", "words")) == before
        assert dict(SnapshotWords.objects.values_list("snapshot_id", "saying")) == sayings
        assert SnapshotVector.objects.filter(snapshot_id__in=[first, second]).count() == 2
        assert SubjectMemory.objects.get(id=memory.id).version > memory.version
