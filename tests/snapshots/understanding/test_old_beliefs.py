"""What is believed and no note says keeps its place, gets a note from its words, and is looked at. Rows: P9, E2."""

from io import StringIO

from django.core.management import call_command

from profiles.models import Candidate, Preference
from profiles.values import Verdict
from snapshots.models import Message, Note, NoteSlot, PreferenceSource, Snapshot, SnapshotKind
from snapshots.understanding.believing.review import approve, reject, waiting
from snapshots.understanding.old_beliefs import NO_LASTING_WORDS
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import prefer, say
from tests.snapshots.understanding.making import settle

WEATHER = "It is raining again, what a day"


def run(*options: str) -> str:
    out = StringIO()
    call_command("make_notes", *options, stdout=out)
    return out.getvalue()


def believe_of_old(house: House, message: Message, *, with_message: bool = True) -> Preference:
    """Believe, as release 1 did, something that the reader of clauses does not find in the words."""
    prefer(house, "weather", "likes", "rain")
    with tenant_tx(house.tenant.id):
        belief = Preference.objects.get(subject=house.subject)
        Candidate.objects.create(
            subject=house.subject,
            kind="preference",
            target="weather/likes",
            value="rain",
            confidence=belief.confidence,
            provenance=belief.provenance,
            verdict=Verdict.STORED,
            message_ref=message.id,
            quote_start=0,
            quote_end=len("It is raining again"),
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
        (row,) = waiting()
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


def test_a_person_says_whether_it_stands(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message)
    run()
    with tenant_tx(acme.tenant.id):
        (row,) = waiting()
        decided = approve(acme.subject, row.id, by=COMMAND_LINE)
        assert decided.verdict in {Verdict.UNCHANGED, Verdict.MERGED, Verdict.STORED}
        (held,) = Preference.objects.filter(subject=acme.subject, invalid_at=None, retired_at=None)
        assert held.value == "rain"


def test_a_belief_whose_message_is_gone_stays_and_waits_for_review(world: World) -> None:
    acme = world.acme
    (message,) = say(acme, WEATHER)
    believe_of_old(acme, message, with_message=False)
    told = run()
    assert "1 old beliefs" in told
    assert notes_of(acme) == []
    with tenant_tx(acme.tenant.id):
        (row,) = waiting()
        reject(acme.subject, row.id, by=COMMAND_LINE, reason="nobody said so")
        assert Preference.objects.filter(subject=acme.subject, retired_at=None).count() == 1
    assert "old beliefs" not in run(), "it was looked at once"


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
