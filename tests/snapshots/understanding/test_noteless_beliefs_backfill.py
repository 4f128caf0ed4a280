"""What is believed and no note says keeps its place, gets a note from its words, and is looked at. Rows: P9, E2."""

from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.models import Candidate, Preference, ProfileFact, Tag
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_learned_claim
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import ActContext
from snapshots.lifecycle.staff_actions.undo_act import undo_act
from snapshots.models import MemoryAct, MemoryReview, Message, Note, NoteSlot, PreferenceSource, Snapshot, SnapshotKind
from snapshots.understanding.believing.belief_reviews import NO_LASTING_WORDS
from snapshots.understanding.believing.candidate_review import (
    approve_candidate,
    list_waiting_candidates,
    reject_candidate,
    reopen_candidate,
)
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import prefer, say
from tests.snapshots.understanding.making import settle

WEATHER = "It is raining again, what a day"


def run(*options: str) -> str:
    out = StringIO()
    call_command("make_notes", *options, stdout=out)
    return out.getvalue()


def believe_of_old(
    house: House,
    message: Message,
    value: Any = "rain",
    *,
    statement: str = "",
    with_message: bool = True,
    validated_at: datetime | None = None,
) -> Preference:
    """Believe, as release 1 did, something that the reader of clauses does not find in the words."""
    prefer(house, "weather", "likes", value, statement=statement)
    with tenant_tx(house.tenant.id):
        if validated_at is not None:
            Preference.objects.filter(subject=house.subject).update(last_validated_at=validated_at)
        belief = Preference.objects.get(subject=house.subject)
        Candidate.objects.create(
            subject=house.subject,
            kind="preference",
            target="weather/likes",
            value=value,
            confidence=belief.confidence,
            provenance=belief.provenance,
            verdict=Verdict.STORED,
            message_ref=message.id,
            quote_start=0,
            quote_end=4,
            sort="implicit",
        )
        if with_message:
            PreferenceSource.objects.create(subject=house.subject, memory=belief, message=message)
        else:
            message.delete()
    return belief


def notes_of(house: House) -> list[Note]:
    with tenant_tx(house.tenant.id):
        return list(Note.objects.filter(subject=house.subject).select_related("snapshot"))


def read_beliefs(house: House) -> tuple[set[str], set[str]]:
    """Return the current values of preferences, and the words of current notes."""
    with tenant_tx(house.tenant.id):
        values = Preference.objects.filter(subject=house.subject, invalid_at=None, retired_at=None)
        notes = Snapshot.objects.filter(
            build_current_snapshot_condition(), subject=house.subject, kind=SnapshotKind.NOTE
        )
        return set(values.values_list("value", flat=True)), set(notes.values_list("text", flat=True))


def test_a_belief_that_no_lasting_words_support_gets_a_note_from_them_and_waits_for_review(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    belief = believe_of_old(acme, message)
    assert "1 old beliefs that no lasting words support would wait" in run("--dry-run")
    assert notes_of(acme) == []
    assert "1 notes were made" in run()
    (note,) = notes_of(acme)
    assert note.snapshot.text in WEATHER
    assert note.review_by is not None
    assert note.vital_class == ""
    with tenant_tx(acme.tenant.id):
        (link,) = NoteSlot.objects.all()
        assert (link.snapshot_id, link.preference_id) == (note.snapshot_id, belief.id)
        (row,) = list_waiting_candidates()
        assert (row.reason, row.target, row.value, row.message_ref) == (
            NO_LASTING_WORDS,
            "weather/likes",
            "rain",
            message.id,
        )
        assert Preference.objects.get(id=belief.id).retired_at is None
    again = run()
    assert "0 notes were made" in again
    assert "review" not in again


def test_what_a_person_lets_stand_is_not_asked_about_again(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    belief = believe_of_old(acme, message, validated_at=utc_now() - timedelta(days=400))
    run()
    with tenant_tx(acme.tenant.id):
        (row,) = list_waiting_candidates()
        decided = approve_candidate(acme.subject, row.id, by=COMMAND_LINE)
        assert decided.verdict == Verdict.UNCHANGED
        assert Preference.objects.get(subject=acme.subject, invalid_at=None, retired_at=None).id == belief.id
    assert notes_of(acme)[0].review_by is None
    assert "old beliefs" not in run()
    review_tenant(acme.tenant.id)
    with tenant_tx(acme.tenant.id):
        assert not MemoryReview.objects.exists()
        assert AuditRecord.objects.filter(action="memory.kept", object_id=str(belief.id)).exists()


def test_what_a_person_puts_right_is_not_asked_about_again(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message, with_message=False)
    run()
    with tenant_tx(acme.tenant.id):
        (row,) = list_waiting_candidates()
        approve_candidate(acme.subject, row.id, by=COMMAND_LINE, edits={"value": "snow"})
        assert Preference.objects.get(subject=acme.subject, invalid_at=None, retired_at=None).value == "snow"
    assert "old beliefs" not in run()


@pytest.mark.parametrize(("words", "value"), [(WEATHER, "rain"), ("又下雨了,这天气真是的", "下雨")])
def test_what_a_person_rejects_is_retired_with_its_note_and_holds_again_when_that_is_taken_back(
    world: World, words: str, value: str
) -> None:
    acme = world.acme
    (message,) = say(acme, words)
    belief = believe_of_old(acme, message, value)
    run()
    with tenant_tx(acme.tenant.id):
        (row,) = list_waiting_candidates()
        reject_candidate(acme.subject, row.id, by=COMMAND_LINE, reason="nobody said so")
    assert read_beliefs(acme) == (set(), set())
    with tenant_tx(acme.tenant.id):
        assert Preference.objects.get(id=belief.id).invalid_at is not None, "its history stays"
        (audit,) = AuditRecord.objects.filter(action="preference.retracted", object_id=str(belief.id))
        assert audit.reason == "nobody said so"
    assert "old beliefs" not in run(), "it was looked at once"
    with tenant_tx(acme.tenant.id):
        reopen_candidate(acme.subject, row.id, by=COMMAND_LINE)
        assert [one.id for one in list_waiting_candidates()] == [row.id]
    assert read_beliefs(acme) == ({value}, {note.snapshot.text for note in notes_of(acme)})
    with tenant_tx(acme.tenant.id):
        reject_candidate(acme.subject, row.id, by=COMMAND_LINE)
        (act,) = MemoryAct.objects.filter(memory_ref=belief.id, undone_at=None)
        undo_act(acme.subject, act.id, ActContext(COMMAND_LINE, "it was so"))
        reopen_candidate(acme.subject, row.id, by=COMMAND_LINE)
    assert read_beliefs(acme)[0] == {value}


def test_a_rejection_leaves_what_is_believed_since_then(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message)
    run()
    prefer(acme, "weather", "likes", "snow")
    with tenant_tx(acme.tenant.id):
        (row,) = list_waiting_candidates()
        reject_candidate(acme.subject, row.id, by=COMMAND_LINE)
    assert read_beliefs(acme)[0] == {"snow"}


def test_an_attribute_and_a_tag_are_retired_too(world: World) -> None:
    acme = world.acme
    with tenant_tx(acme.tenant.id):
        claim = make_learned_claim("5000", provenance=Provenance.OBSERVATION, confidence=0.6, said_at=utc_now())
        patch_profile(acme.subject, [FactChange(FactName("budget", is_attribute=True), claim)])
        upsert_tag(acme.subject, TagDraft("gym", {"address": "1 Elm St"}, Provenance.OBSERVATION, 0.6))
        for kind, target in (("profile", "attributes.budget"), ("tag", "gym")):
            Candidate.objects.create(
                subject=acme.subject,
                kind=kind,
                target=target,
                confidence=0.6,
                provenance=Provenance.OBSERVATION,
                verdict=Verdict.STORED,
                message_ref=new_id(),
            )
    assert "2 old beliefs" in run()
    with tenant_tx(acme.tenant.id):
        for row in list_waiting_candidates():
            reject_candidate(acme.subject, row.id, by=COMMAND_LINE)
        assert not ProfileFact.objects.filter(subject=acme.subject, invalid_at=None, retired_at=None).exists()
        assert not Tag.objects.filter(subject=acme.subject).exists()


@pytest.mark.parametrize("statement", ["It is raining again, what a day", "又下雨了,这天气真是的"])
def test_where_the_message_is_gone_the_sentence_that_a_belief_kept_becomes_its_note(
    world: World, statement: str
) -> None:
    acme = world.acme
    (message,) = say(acme, statement)
    belief = believe_of_old(acme, message, with_message=False, statement=statement)
    told = run()
    assert "1 notes were made" in told
    assert "1 old beliefs" in told
    (note,) = notes_of(acme)
    assert note.snapshot.text in statement
    assert note.review_by is not None
    assert (note.span_start, note.statement_id) == (None, None)
    with tenant_tx(acme.tenant.id):
        assert NoteSlot.objects.get().preference_id == belief.id
    again = run()
    assert "0 notes were made" in again
    assert "old beliefs" not in again
    with tenant_tx(acme.tenant.id):
        (row,) = list_waiting_candidates()
        reject_candidate(acme.subject, row.id, by=COMMAND_LINE)
    assert read_beliefs(acme) == (set(), set())


@pytest.mark.parametrize(("statement", "value"), [("I'm allergic to peanuts", ["peanuts"]), ("我对花生过敏", ["花生"])])
def test_a_kept_sentence_that_lasts_is_a_note_that_nobody_need_look_at(
    world: World, statement: str, value: list[str]
) -> None:
    acme = world.acme
    (message,) = say(acme, statement)
    believe_of_old(acme, message, value, with_message=False, statement=statement)
    assert "old beliefs" not in run()
    (note,) = notes_of(acme)
    assert (note.snapshot.text, note.vital_class, note.review_by) == (statement, "allergy", None)


def test_records_and_messages_that_were_purged_leave_the_sentence(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message, ["peanuts"], with_message=False, statement="I'm allergic to peanuts")
    prefer(acme, "weather", "dislikes", "雨", statement="又下雨了,这天气真是的")
    with tenant_tx(acme.tenant.id):
        Candidate.objects.all().delete()
    assert "old beliefs" not in run(), "nobody knows whether it was read at all"
    assert [note.snapshot.text for note in notes_of(acme)] == ["I'm allergic to peanuts"]


def test_a_record_that_was_purged_leaves_the_message(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message)
    with tenant_tx(acme.tenant.id):
        Candidate.objects.all().delete()
    assert "1 old beliefs" in run()
    assert len(notes_of(acme)) == 1


def test_without_message_and_sentence_a_belief_waits_without_a_note(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message, with_message=False)
    assert "1 old beliefs" in run()
    assert notes_of(acme) == []


def test_a_dry_run_knows_which_beliefs_the_notes_of_messages_will_support(world: World) -> None:
    acme = world.acme
    say(acme, "I work as a midwife", "I'm allergic to peanuts")
    settle(acme)
    with tenant_tx(acme.tenant.id):
        assert NoteSlot.objects.exists()
        Snapshot.objects.filter(kind=SnapshotKind.NOTE).delete()
    told = run("--dry-run")
    assert "2 notes would be made" in told
    assert "old beliefs" not in told


def test_what_a_product_wrote_needs_no_note(world: World) -> None:
    prefer(world.acme, "weather", "likes", "rain")
    told = run()
    assert "0 notes were made" in told
    assert "old beliefs" not in told
