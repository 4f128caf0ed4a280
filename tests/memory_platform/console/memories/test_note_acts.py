"""Acts on a note, from its page and from the list. Rows: D2, P9, T3, T7."""

from snapshots.models import Note, SnapshotVersion
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memories.notes import (
    LIST,
    NoteIds,
    action_address,
    find_listed_notes,
    note_address,
    run_action,
)
from tests.memory_platform.console.memory_actions.test_memory_admin import REASON
from tests.snapshots.held import remember
from tests.snapshots.notes.world import ALLERGY, ALLERGY_ZH, note, rows


def test_a_note_is_confirmed_corrected_retired_and_taken_back(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    page = staff.sam.get(note_address(note_ids.allergy)).content.decode()
    for verb in ("confirm", "correct", "vital", "merge", "retire"):
        assert action_address(note_ids.allergy, verb) in page, verb
    assert action_address(note_ids.allergy, "forget") not in page
    asked = staff.sam.get(action_address(note_ids.allergy, "retire")).content.decode()
    assert "fact · lasts with a probability of 93 %" in asked
    assert "Confirmed." in run_action(staff.sam, acme, note_ids.allergy, "confirm")
    assert "Corrected." in run_action(staff.sam, acme, note_ids.allergy, "correct", text=ALLERGY_ZH)
    page = run_action(staff.sam, acme, note_ids.allergy, "retire")
    assert "Retired. Recall no longer finds it." in page
    assert "Retired by" in page, "the note's page follows"
    assert find_listed_notes(staff.sam, note_ids, acme, standing="retired") == {"allergy", "wrong"}
    for _act in ("retire", "correct"):
        assert "Undone." in run_action(staff.sam, acme, note_ids.allergy, "undo")
    snapshot, row = rows(acme, note_ids.allergy)
    assert (snapshot.text, snapshot.retired_at, snapshot.provenance) == (ALLERGY, None, "confirmed_by_user")
    assert row.vital_class == "allergy"
    versions = staff.sam.get(note_address(note_ids.allergy)).content.decode()
    assert ALLERGY_ZH in versions
    history = staff.mia.get(f"{LIST}{note_ids.allergy}/history/").content.decode()
    for told in ("viewed: note", "retired a snapshot", "undid the correction of a memory", REASON):
        assert told in history, told


def test_a_note_is_made_vital_and_no_longer_vital_with_a_reason(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    said = action_address(note_ids.tea, "vital")
    assert 'value="illness"' in staff.sam.get(said).content.decode()
    assert "Saved." in run_action(staff.sam, acme, note_ids.tea, "vital", vital_class="illness")
    assert rows(acme, note_ids.tea)[1].vital_class == "illness"
    assert "illness or medicine" in staff.sam.get(note_address(note_ids.tea)).content.decode()
    run_action(staff.sam, acme, note_ids.tea, "vital", vital_class="")
    assert rows(acme, note_ids.tea)[1].vital_class == ""
    assert "Undone." in run_action(staff.sam, acme, note_ids.tea, "undo")
    assert rows(acme, note_ids.tea)[1].vital_class == "illness"
    page = staff.sam.get(note_address(note_ids.tea)).content.decode()
    assert "Change of vital undone by" in page and "not vital" in page
    assert "Undone." in run_action(staff.sam, acme, note_ids.tea, "undo")
    with tenant_tx(acme.tenant.id):
        found = AuditRecord.objects.filter(action__contains="vital_changed", object_id=str(note_ids.tea))
        assert [one.action for one in found.order_by("at")] == ["note.vital_changed"] * 2 + [
            "memory.vital_changed_undone"
        ] * 2
        assert {one.reason for one in found} == {REASON}
    version = f"{note_ids.tea}.1"
    stale = staff.sam.post(said, {"version": version, "reason": REASON, "vital_class": "legal"})
    assert stale.status_code == 409
    assert "You have changed this yourself" in stale.content.decode()
    unsaid = staff.sam.post(said, {"version": version, "reason": "", "vital_class": "legal"}).content.decode()
    assert "Nothing was done." in unsaid
    assert rows(acme, note_ids.tea)[1].vital_class == ""


def test_a_note_that_is_confirmed_is_no_longer_possibly_outdated(acme: House, staff: Staff) -> None:
    note_id, newer = note(acme, "I work nights", possibly_outdated=True), note(acme, "我现在上白班")
    with tenant_tx(acme.tenant.id):
        Note.objects.filter(snapshot_id=note_id).update(newer=newer)
    assert "Confirmed." in run_action(staff.sam, acme, note_id, "confirm")
    row = rows(acme, note_id)[1]
    assert (row.possibly_outdated, row.newer) == (False, None)
    assert "Undone." in run_action(staff.sam, acme, note_id, "undo")
    snapshot, row = rows(acme, note_id)
    assert row.newer == newer
    assert (row.possibly_outdated, snapshot.provenance, snapshot.version) == (True, "observation", 3)
    with tenant_tx(acme.tenant.id):
        images = SnapshotVersion.objects.order_by("version").values_list("fields", flat=True)
        then = [{"possibly_outdated": True, "newer": str(newer)}, {"possibly_outdated": False, "newer": None}]
        assert [image["note"] for image in images] == then


def test_only_a_note_is_vital_and_a_note_becomes_one_with_notes_only(
    acme: House, staff: Staff, note_ids: NoteIds
) -> None:
    (other,) = remember(acme, "She drinks tea in the morning.")
    assert staff.sam.get(f"/console/snapshots/snapshot/{other}/act/vital/").status_code == 404
    page = staff.sam.get(f"/console/snapshots/snapshot/{other}/change/").content.decode()
    assert "act/vital/" not in page
    merging = staff.sam.get(action_address(note_ids.tea, "merge")).content.decode()
    assert str(note_ids.sister) in merging
    assert str(other) not in merging
    assert str(note_ids.tea) not in staff.sam.get(f"/console/snapshots/snapshot/{other}/act/merge/").content.decode()
    assert "Merged." in run_action(staff.sam, acme, note_ids.tea, "merge", other=str(note_ids.sister))


def test_notes_are_retired_and_forgotten_from_the_list(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    chosen = [str(rows(acme, one)[1].id) for one in (note_ids.tea, note_ids.sister)]
    body = {"action": "retire", "_selected_action": chosen, "reason": REASON}
    assert "2 rows: done." in staff.sam.post(LIST, body, follow=True).content.decode()
    assert find_listed_notes(staff.sam, note_ids, acme) == {"allergy"}
    allergy = str(rows(acme, note_ids.allergy)[1].id)
    body = {"action": "forget", "_selected_action": [allergy], "reason": REASON}
    assert "1 row: done." in staff.mia.post(LIST, body, follow=True).content.decode()
    with tenant_tx(acme.tenant.id):
        assert not Note.objects.filter(id=allergy).exists()


def test_a_viewer_looks_and_does_nothing(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    page = staff.vic.get(note_address(note_ids.tea)).content.decode()
    assert "/act/" not in page
    for verb in ("retire", "vital", "forget"):
        assert staff.vic.get(action_address(note_ids.tea, verb)).status_code == 403, verb
    assert staff.sam.get(action_address(note_ids.tea, "forget")).status_code == 403
    body = {"version": f"{note_ids.tea}.1", "reason": REASON, "vital_class": "legal"}
    assert staff.vic.post(action_address(note_ids.tea, "vital"), body).status_code == 403
    assert rows(acme, note_ids.tea)[1].vital_class == ""
