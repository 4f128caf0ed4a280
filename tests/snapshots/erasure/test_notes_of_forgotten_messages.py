"""A note is forgotten with what said it, and what is forgotten takes its notes along. Rows: E8, P9."""

from uuid import UUID

import pytest

from profiles.models import Erasure, Preference
from profiles.provenance_and_verdict import Provenance
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.memories import forget_memory, forget_note
from snapshots.erasure.subjects import erase_subject
from snapshots.errors import NoteUnknown, SnapshotUnknown
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Message, Note, PreferenceSource, Snapshot, SnapshotSource
from snapshots.notes.store_and_confirm import confirm_notes, store_notes
from snapshots.notes.values import NoteRepeat
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.erasure.everywhere import tables_with
from tests.snapshots.held import prefer, remember, say
from tests.snapshots.notes.world import address_of, note, prepared_note, rows

SISTER, ALLERGY_ZH = "My sister Kestrel4711 lives in Utrecht", "我对红隼四七一一过敏"
BOTH = f"{SISTER}. {ALLERGY_ZH}"
WORDS = ("kestrel4711", "红隼四七一一")


def teach(house: House) -> tuple[UUID, UUID, list[Message]]:
    """Say one message that makes two notes, a statement and a preference, and one that leans on it."""
    said, after = say(house, BOTH, "她很好 She likes it")
    (statement,) = remember(house, BOTH, messages=[said])
    sister = note(house, SISTER, [said], statement_id=statement, span_start=0, span_end=len(SISTER))
    note(house, ALLERGY_ZH, [said], statement_id=statement, vital_class="allergy")
    note(house, "She likes it", [after], context=BOTH)
    prefer(house, "food", "avoid", "红隼四七一一")
    with tenant_tx(house.tenant.id):
        row = Preference.objects.get()
        Preference.objects.update(said_times=[])
        PreferenceSource.objects.create(subject=house.subject, memory_id=row.id, message_id=said.id)
    return sister, statement, [said, after]


def list_notes(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return sorted(Snapshot.objects.filter(kind="note").values_list("text", flat=True))


@pytest.mark.parametrize("by", ["note", "note through snapshots", "statement"])
def test_note_statement_and_message_go_together(world: World, by: str) -> None:
    house = world.acme
    sister, statement, (said, _) = teach(house)
    address = address_of(house, statement if by == "statement" else sister)
    forget = forget_note if by == "note" else forget_memory
    erasure_id = forget(house.tenant.id, address, active_embedders(), by=COMMAND_LINE)
    assert list_notes(house) == ["She likes it"]
    with tenant_tx(house.tenant.id):
        erasure = Erasure.objects.get(id=erasure_id)
        certificate = build_certificate(erasure)
        assert Message.objects.get(id=said.id).content == ""
        assert Note.objects.get().context == ""
    assert is_genuine(certificate)
    erased = certificate["erased"]
    assert (erased["note"], erased["note.context"], erased["snapshot"], erased["message"]) == (2, 1, 3, 1)
    assert erased["preference"] == 1
    assert certificate["verified"]["rows_left"] == {}
    assert tables_with(*WORDS) == {}


def test_what_was_forgotten_is_not_noted_again(world: World) -> None:
    house = world.acme
    sister, _, _ = teach(house)
    forget_note(house.tenant.id, address_of(house, sister), active_embedders(), by=COMMAND_LINE)
    again = [prepared_note(house, text) for text in (SISTER, ALLERGY_ZH)]
    with tenant_tx(house.tenant.id):
        assert store_notes(again) == []


def test_a_note_that_another_message_says_too_stays_with_that_one(world: World) -> None:
    house = world.acme
    (first,) = say(house, f"Well. {SISTER}.", conversation="one")
    (second,) = say(house, f"As I said: {SISTER}!", conversation="two")
    (statement,) = remember(house, f"Well. {SISTER}.", messages=[first])
    note_id = note(house, SISTER, [first], statement_id=statement, span_start=6, span_end=40, context="And who else?")
    with tenant_tx(house.tenant.id):
        confirm_notes(house.subject, [NoteRepeat(note_id, second.id, 0.6, Provenance.OBSERVATION)])
    forget_memory(house.tenant.id, address_of(house, statement), active_embedders(), by=COMMAND_LINE)
    snapshot, row = rows(house, note_id)
    assert (snapshot.text, row.context, row.span_start, row.statement_id) == (SISTER, "", None, None)
    with tenant_tx(house.tenant.id):
        assert SnapshotSource.objects.get(memory_id=note_id).message_id == second.id


def test_a_note_whose_other_message_says_it_in_other_words_goes(world: World) -> None:
    house = world.acme
    (first,) = say(house, SISTER, conversation="one")
    (second,) = say(house, "我妹妹住在那里", conversation="two")
    note_id = note(house, SISTER, [first])
    with tenant_tx(house.tenant.id):
        confirm_notes(house.subject, [NoteRepeat(note_id, second.id, 0.6, Provenance.OBSERVATION)])
        delete_conversation(lock_conversation("ada", "one"))
    assert list_notes(house) == []
    assert tables_with(*WORDS) == {}


def test_a_conversation_takes_its_notes_along(world: World) -> None:
    house = world.acme
    teach(house)
    note(house, "written by hand 手写的")
    with tenant_tx(house.tenant.id):
        erasure = delete_conversation(lock_conversation("ada", "trip"))
        assert erasure.erased["note"] == 3
    assert list_notes(house) == ["written by hand 手写的"]
    assert tables_with(*WORDS) == {}


def test_a_subject_takes_its_notes_along_and_nobody_else_s(world: World) -> None:
    teach(world.acme)
    note(world.globex, "Gil likes tea")
    erasure, _ = erase_subject(world.acme.tenant.id, "ada", by=COMMAND_LINE)
    assert erasure.erased["note"] == 3
    assert (list_notes(world.acme), list_notes(world.globex)) == ([], ["Gil likes tea"])
    assert tables_with(*WORDS) == {}


def test_only_a_note_of_one_s_own_is_forgotten_as_a_note(world: World) -> None:
    (statement,) = remember(world.acme, SISTER)
    note_id = note(world.acme, ALLERGY_ZH)
    with pytest.raises(NoteUnknown):
        forget_note(world.acme.tenant.id, address_of(world.acme, statement), (), by=COMMAND_LINE)
    for forget, unknown in ((forget_note, NoteUnknown), (forget_memory, SnapshotUnknown)):
        with pytest.raises(unknown):
            forget(world.globex.tenant.id, SnapshotAddress("gil", note_id), (), by=COMMAND_LINE)
    assert list_notes(world.acme) == [ALLERGY_ZH]
