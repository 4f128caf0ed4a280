"""What people say is over ends the notes that hold it, in both languages; forgetting it brings them back. Rows: P4, P9,
G4, E8."""

from datetime import datetime, timedelta

import pytest

from snapshots.erasure.conversations import delete_conversation
from snapshots.intake.pipeline import accept_messages, prepare_messages
from snapshots.intake.values import AcceptedBatch, IncomingMessage
from snapshots.models import Conversation, Note, Snapshot, SnapshotKind
from snapshots.understanding.changes.ending_classifier import classify_effects
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence, list_pair_texts
from snapshots.understanding.changes.unchanged_notes import is_unaffected
from snapshots.understanding.grading.sentence_vectors import embed_sentences
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, say, settle

TUESDAY, WEDNESDAY = MONDAY + timedelta(days=1), MONDAY + timedelta(days=2)
CHANGES = [
    ("I play tennis on Thursdays", "My sister lives in Leeds", "My sister moved to Cork"),
    ("I have two cats", "My gym membership is at Ironworks", "I cancelled the gym membership at Ironworks"),
    ("我家有两只猫", "我在健身房请了私教", "健身房的私教课我退了"),
    ("我周三打羽毛球", "我在银行做柜员", "我从银行辞职了,现在在书店上班"),
]


def list_texts(house: House, kind: str = SnapshotKind.NOTE) -> list[str]:
    """Return the words of what holds now."""
    with tenant_tx(house.tenant.id):
        rows = Snapshot.objects.filter(
            subject_id=house.subject.id, kind=kind, invalid_at__isnull=True, retired_at__isnull=True
        )
        return list(rows.order_by("position").values_list("text", flat=True))


def note(house: House, text: str) -> Note:
    with tenant_tx(house.tenant.id):
        return Note.objects.select_related("snapshot").get(subject_id=house.subject.id, snapshot__text=text)


def say_at_the_door(house: House, *texts: str, at: datetime = TUESDAY, conversation: str = "c1") -> AcceptedBatch:
    """Post messages as the API does: what they end is found before they are accepted."""
    incoming = [
        IncomingMessage(role="user", content=text, said_at=at + timedelta(minutes=number))
        for number, text in enumerate(texts)
    ]
    prepared = prepare_messages(house.tenant.id, house.subject.external_id, conversation, incoming)
    with tenant_tx(house.tenant.id):
        return accept_messages(house.subject, conversation, incoming, prepared)


@pytest.mark.parametrize(("stays", "old", "change"), CHANGES)
def test_a_change_ends_what_it_names_and_nothing_else(world: World, stays: str, old: str, change: str) -> None:
    acme = world.acme
    say(acme, stays, old)
    settle(acme)
    say(acme, change, at=TUESDAY)
    settle(acme)
    assert old not in list_texts(acme)
    assert stays in list_texts(acme)
    ended = note(acme, old)
    assert (ended.snapshot.invalid_at, ended.snapshot.text) == (TUESDAY, old)
    new = [one for one in list_texts(acme) if one != stays]
    with tenant_tx(acme.tenant.id):
        successors = Snapshot.objects.filter(id=ended.snapshot.superseded_by_id).values_list("text", flat=True)
        assert list(successors) == new[:1]
    assert old not in list_texts(acme, SnapshotKind.STATEMENT)
    assert stays in list_texts(acme, SnapshotKind.STATEMENT)


@pytest.mark.parametrize(("stays", "old", "change"), CHANGES)
def test_the_fast_lane_ends_it_before_any_worker_reads(world: World, stays: str, old: str, change: str) -> None:
    acme = world.acme
    say(acme, stays, old)
    settle(acme)
    told = [one for one in say_at_the_door(acme, change).fast_lane if one.kind == "note"]
    assert [(one.verdict, one.reason, one.memory_id) for one in told] == [
        ("superseded", "ended", note(acme, old).snapshot_id)
    ]
    assert list_texts(acme) == [stays]
    settle(acme)
    assert old not in list_texts(acme)
    assert note(acme, old).snapshot.invalid_at == TUESDAY


def test_what_was_said_later_wins_whichever_comes_first(world: World) -> None:
    acme = world.acme
    say(acme, "My sister moved to Cork", at=WEDNESDAY)
    settle(acme)
    say(acme, "My sister lives in Leeds", at=MONDAY, conversation="c2")
    settle(acme)
    assert list_texts(acme) == ["My sister moved to Cork"]
    late = note(acme, "My sister lives in Leeds").snapshot
    assert (late.valid_at, late.invalid_at) == (MONDAY, WEDNESDAY)


def test_a_change_does_not_end_what_was_said_after_it(world: World) -> None:
    acme = world.acme
    say(acme, "My sister lives in Leeds", at=WEDNESDAY)
    settle(acme)
    say_at_the_door(acme, "My sister moved to Cork", at=MONDAY, conversation="c2")
    settle(acme)
    assert "My sister lives in Leeds" in list_texts(acme)


@pytest.mark.parametrize(("stays", "old", "change"), CHANGES[:1] + CHANGES[3:])
def test_forgetting_the_change_brings_the_note_back(world: World, stays: str, old: str, change: str) -> None:
    acme = world.acme
    say(acme, stays, old)
    settle(acme)
    say_at_the_door(acme, change, conversation="c2")
    settle(acme)
    with tenant_tx(acme.tenant.id):
        delete_conversation(Conversation.objects.get(subject_id=acme.subject.id, external_id="c2"))
    assert list_texts(acme) == [stays, old]
    assert list_texts(acme, SnapshotKind.STATEMENT) == [stays, old]
    again = note(acme, old)
    assert (again.snapshot.invalid_at, again.snapshot.superseded_by_id, again.changed_by) == (None, None, None)


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("I live in Boston", "If I lived in Rome I'd eat pasta every day"),
        ("I'm allergic to peanuts", "My nephew outgrew his peanut allergy"),
        ("I take the 7:52 train to work", "The weather is awful now"),
        ("我对花生过敏", "我外甥花生不过敏了"),
        ("我在银行做柜员", "要是辞职了我就去开民宿"),
    ],
)
def test_what_is_no_change_ends_nothing(world: World, old: str, said: str) -> None:
    acme = world.acme
    say(acme, old)
    settle(acme)
    told = say_at_the_door(acme, said).fast_lane
    settle(acme)
    assert old in list_texts(acme)
    assert not [one for one in told if one.verdict == "superseded"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I bought 107 tickets for the museum in Porto.", "I bought 111 tickets for the museum in Porto."),
        ("我上周在静安区花了1元买书", "我上周在静安区花了3元买书"),
        ("Not jazz, I like rock.", "Not jazz, I like rock."),
    ],
)
def test_what_happened_and_what_is_said_again_is_neither_over_nor_doubtful(
    world: World, first: str, second: str
) -> None:
    acme = world.acme
    say(acme, first)
    settle(acme)
    before = list_texts(acme)
    say_at_the_door(acme, second)
    settle(acme)
    assert list_texts(acme)[: len(before)] == before
    with tenant_tx(acme.tenant.id):
        assert not Note.objects.filter(changed_by__isnull=False).exists()
    sentence = SaidSentence(second)
    held = [NoteText(first)]
    assert classify_effects(sentence, held, [0], embed_sentences(list_pair_texts(sentence, held))) == []


def test_a_word_after_no_question_is_about_nothing_that_is_held() -> None:
    held = [NoteText("I'm left handed so the lab scissors drive me nuts")]
    sentence = SaidSentence("Bought", "The Fiskars Classic left-handed, 21 cm: orange and sharp.")
    assert classify_effects(sentence, held, [0], embed_sentences(list_pair_texts(sentence, held))) == []


def test_an_event_that_is_put_right_may_end() -> None:
    held = NoteText("I bought 3 tickets for the museum")
    assert not is_unaffected(SaidSentence("Sorry, I meant I bought 5 tickets for the museum"), held)
    assert is_unaffected(SaidSentence("I bought 5 tickets for the museum"), held)


def test_a_vital_note_is_never_ended_by_likeness(world: World) -> None:
    acme = world.acme
    say(acme, "I'm allergic to peanuts, my throat closes")
    settle(acme)
    say_at_the_door(acme, "The tests came back and everything is fine now, I eat whatever I like again")
    settle(acme)
    assert "I'm allergic to peanuts, my throat closes" in list_texts(acme)


def test_another_tenant_ends_nothing_of_ours(world: World) -> None:
    say(world.acme, "My sister lives in Leeds")
    settle(world.acme)
    say_at_the_door(world.globex, "My sister moved to Cork")
    settle(world.globex)
    assert list_texts(world.acme) == ["My sister lives in Leeds"]


def test_long_messages_and_messages_without_a_hint_wait_for_the_worker(world: World) -> None:
    acme = world.acme
    say(acme, "My sister lives in Leeds")
    settle(acme)
    chat = "We had soup and bread and talked about the garden. " * 45
    assert (
        prepare_messages(
            acme.tenant.id, "ada", "c1", [IncomingMessage(role="user", content=f"{chat}My sister moved to Cork.")]
        ).endings
        == {}
    )
