"""Notes are stored once, and a note that is heard again grows stronger. Rows: P9, P12, P5, E8."""

from datetime import timedelta

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id, stable_id
from profiles.models import Tag
from profiles.provenance_and_verdict import Provenance
from profiles.services.tombstones import record_tombstones
from snapshots.models import (
    Note,
    Snapshot,
    SnapshotSource,
    SnapshotVector,
    SnapshotVersion,
    SnapshotWords,
    SubjectMemory,
)
from snapshots.notes.store_and_confirm import confirm_notes, store_notes
from snapshots.notes.values import NoteRepeat
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember, say
from tests.snapshots.notes.world import ALLERGY, ALLERGY_ZH, note, prepared_note, rows


def repeat(house: House, *repeated: NoteRepeat) -> int:
    with tenant_tx(house.tenant.id):
        return len(confirm_notes(house.subject, repeated))


def test_a_note_has_two_rows_words_a_vector_and_a_source(world: World) -> None:
    (said,) = say(world.acme, f"Hi. {ALLERGY}.")
    (statement,) = remember(world.acme, f"Hi. {ALLERGY}.", messages=[said])
    details = {"vital_class": "allergy", "span_start": 4, "span_end": 27, "reader_version": "1"}
    note_id = note(world.acme, ALLERGY, [said], statement_id=statement, grade_probability=0.93, **details)
    snapshot, row = rows(world.acme, note_id)
    assert (snapshot.kind, snapshot.text, snapshot.expires_at) == ("note", ALLERGY, None)
    assert (row.id, row.grade, row.grade_probability) == (stable_id("note-row", note_id), "fact", 0.93)
    assert {name: getattr(row, name) for name in details} == details
    assert (row.statement_id, row.is_vital, row.about_kind) == (statement, True, "self")
    with tenant_tx(world.acme.tenant.id):
        counts = [model.objects.filter(snapshot_id=note_id).count() for model in (SnapshotWords, SnapshotVector)]
        assert counts == [1, 1]
        assert SnapshotSource.objects.get(memory_id=note_id).message_id == said.id


def test_the_same_notes_again_change_nothing(world: World) -> None:
    (said,) = say(world.acme, ALLERGY_ZH)
    first = prepared_note(world.acme, ALLERGY_ZH, [said], grade="fact")
    again = prepared_note(world.acme, ALLERGY_ZH, [said], grade="habit")
    with tenant_tx(world.acme.tenant.id):
        assert store_notes([first]) == store_notes([again, first][:1])
        assert Note.objects.get().grade == "fact"
        assert Snapshot.objects.filter(kind="note").count() == 1


def test_what_was_forgotten_is_left_out(world: World) -> None:
    kept, gone = prepared_note(world.acme, ALLERGY), prepared_note(world.acme, ALLERGY_ZH)
    with tenant_tx(world.acme.tenant.id):
        record_tombstones(world.acme.subject.id, texts=[ALLERGY_ZH])
        assert store_notes([gone, kept]) == [kept.snapshot.draft.id]
        assert Note.objects.count() == 1
        assert store_notes([gone], allow_forgotten=True) == [gone.snapshot.draft.id]


def test_a_tag_that_is_somebody_else_s_is_left_empty(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        other = type(world.acme.subject).objects.create(external_id="lin")
        theirs = Tag.objects.create(subject=other, label="妈妈", kind="contact")
        own = Tag.objects.create(subject=world.acme.subject, label="Theo", kind="contact")
    lost = note(world.acme, "Theo likes bees", about_kind="contact", about_tag_id=theirs.id)
    kept = note(world.acme, "Theo hates wasps", about_kind="contact", about_tag_id=own.id)
    assert rows(world.acme, lost)[1].about_tag_id is None
    assert rows(world.acme, kept)[1].about_tag_id == own.id


def test_a_repeat_is_one_more_source_and_the_stronger_of_both(world: World) -> None:
    first, second, third = say(world.acme, ALLERGY, f"As I said, {ALLERGY}", "我又说了一遍")
    note_id = note(world.acme, ALLERGY, [first], confidence=0.5, possibly_outdated=True)
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.update(last_validated_at=utc_now() - timedelta(days=90))
        epoch = SubjectMemory.objects.get(subject=world.acme.subject).epoch
    surer = NoteRepeat(note_id, second.id, 0.9, Provenance.CONFIRMED_BY_USER)
    assert repeat(world.acme, surer) == 1
    snapshot, row = rows(world.acme, note_id)
    assert (snapshot.confidence, snapshot.provenance, snapshot.version) == (0.9, "confirmed_by_user", 2)
    assert utc_now() - snapshot.last_validated_at < timedelta(minutes=1)
    assert row.possibly_outdated is False
    assert repeat(world.acme, NoteRepeat(note_id, third.id, 0.3, Provenance.OBSERVATION)) == 1
    snapshot, _ = rows(world.acme, note_id)
    assert (snapshot.confidence, snapshot.provenance, snapshot.version) == (0.9, "confirmed_by_user", 3)
    with tenant_tx(world.acme.tenant.id):
        sources = SnapshotSource.objects.filter(memory_id=note_id).values_list("message_id", flat=True)
        assert set(sources) == {first.id, second.id, third.id}
        images = list(SnapshotVersion.objects.order_by("version").values_list("fields", flat=True))
        assert (images[0]["confidence"], images[0]["note"]) == (
            0.5,
            {"possibly_outdated": True},
        )
        assert list(images[1]) == ["last_validated_at"]
        assert SubjectMemory.objects.get(subject=world.acme.subject).epoch > epoch


def test_the_same_message_confirms_once_and_only_what_is_current(world: World) -> None:
    first, second = say(world.acme, ALLERGY, ALLERGY)
    note_id = note(world.acme, ALLERGY, [first])
    again = NoteRepeat(note_id, second.id, 0.6, Provenance.OBSERVATION)
    assert [repeat(world.acme, again, again), repeat(world.acme, again)] == [1, 0]
    assert repeat(world.acme, NoteRepeat(note_id, first.id, 0.6, Provenance.OBSERVATION)) == 0
    assert rows(world.acme, note_id)[0].version == 2
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.update(retired_at=utc_now())
    by_hand = NoteRepeat(note_id, None, 1.0, Provenance.CONFIRMED_BY_USER)
    assert repeat(world.acme, by_hand) == 0
    assert repeat(world.acme, NoteRepeat(new_id(), None, 1.0, Provenance.CONFIRMED_BY_USER)) == 0


def test_a_note_of_another_tenant_is_not_confirmed(world: World) -> None:
    (said,) = say(world.globex, "Gil is here")
    note_id = note(world.acme, ALLERGY)
    assert repeat(world.globex, NoteRepeat(note_id, said.id, 1.0, Provenance.CONFIRMED_BY_USER)) == 0
    assert rows(world.acme, note_id)[0].version == 1
