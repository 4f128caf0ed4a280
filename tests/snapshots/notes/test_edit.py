"""What makes a note vital is changed with a reason, and its past stays. Rows: P9, T7, D2."""

from uuid import UUID

import pytest

from memory_platform.kernel.errors import VersionMismatch
from snapshots.errors import NoteUnknown
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, NoLongerHeld, accept_any_version, retire_memory
from snapshots.models import Snapshot, SnapshotVersion, SubjectMemory
from snapshots.notes.edit import change_vital_class
from snapshots.understanding.grading.handwritten_note_grade import suggest_vital_class
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.notes.world import ALLERGY_ZH, note, rows

BY_PHONE = ActContext(COMMAND_LINE, "她在电话里说 by phone")


def change(house: House, note_id: UUID, vital_class: str, doing: ActContext = BY_PHONE) -> None:
    with tenant_tx(house.tenant.id):
        change_vital_class(
            Snapshot.objects.select_related("subject").get(id=note_id), vital_class, doing, suggest_vital_class
        )


def test_a_note_is_vital_from_then_on_with_a_reason_on_record(world: World) -> None:
    note_id = note(world.acme, ALLERGY_ZH)
    with tenant_tx(world.acme.tenant.id):
        epoch = SubjectMemory.objects.get(subject=world.acme.subject).epoch
    change(world.acme, note_id, "allergy")
    change(world.acme, note_id, "allergy")
    snapshot, row = rows(world.acme, note_id)
    assert (snapshot.version, row.vital_class) == (2, "allergy")
    with tenant_tx(world.acme.tenant.id):
        (record,) = AuditRecord.objects.filter(action="note.vital_changed")
        assert (record.object_id, record.reason) == (str(note_id), BY_PHONE.reason)
        assert SnapshotVersion.objects.get().fields == {"note": {"vital_class": ""}}
        assert SubjectMemory.objects.get(subject=world.acme.subject).epoch > epoch


def test_what_was_changed_meanwhile_or_is_gone_is_refused(world: World) -> None:
    def refuse(_id: object, _version: int) -> None:
        raise VersionMismatch("changed since")

    note_id = note(world.acme, ALLERGY_ZH)
    with pytest.raises(VersionMismatch):
        change(world.acme, note_id, "allergy", ActContext(COMMAND_LINE, "", refuse))
    (other,) = remember(world.acme, "no note")
    with pytest.raises(NoteUnknown):
        change(world.acme, other, "allergy")
    with tenant_tx(world.acme.tenant.id):
        retire_memory(
            Snapshot.objects.select_related("subject").get(id=note_id), ActContext(COMMAND_LINE, "", accept_any_version)
        )
    with pytest.raises(NoLongerHeld):
        change(world.acme, note_id, "allergy")
    assert rows(world.acme, note_id)[1].vital_class == ""
