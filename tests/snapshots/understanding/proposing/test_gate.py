"""What the gate lets through of a model's proposals, and why it refuses the rest; no model, no database. Rows: P9."""

import pytest

from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.proposing.answer_schema import ProposedNote, ProposedSlot
from snapshots.understanding.proposing.model_quotes import GatedMessage
from snapshots.understanding.proposing.note_gate import NoteVerdict, gate_notes
from snapshots.understanding.proposing.slot_gate import SlotVerdict, gate_slots
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.values import Candidate, FactCandidate, PreferenceCandidate, TagCandidate

THEO = "My son Theo is allergic to peanuts, what's the weather like?"


def read_message(text: str) -> GatedMessage:
    spoken = SpokenMessage(text, tuple(split_clauses(text)))
    return GatedMessage(text, spoken, grade_messages([spoken])[0])


def judge_one(text: str, quote: str, held: tuple[tuple[int, int], ...] = (), **details: str) -> NoteVerdict:
    (judged,) = gate_notes(read_message(text), [ProposedNote(message=1, quote=quote, **details)], held)
    return judged


def judge_value(text: str, key: str, value: str) -> SlotVerdict:
    proposed = ProposedSlot(message=1, key=key, value=value)
    (judged,) = gate_slots(read_message(text), [proposed], message_key="m", origin="propose-1:some")
    return judged


def place_of(one: Candidate) -> str:
    match one:
        case FactCandidate():
            return one.field
        case PreferenceCandidate():
            return f"{one.category}/{one.key}"
        case TagCandidate():
            return f"tag/{one.label}"


@pytest.mark.parametrize(
    ("text", "quote", "kept"),
    [
        ("I moved to Leeds in May, so my commute is long.", "I moved to Leeds in May", "I moved to Leeds in May"),
        ("Well, I work nights as a nurse!", "work nights as a nurse", "I work nights as a nurse"),
        ("我对花生过敏。今天吃什么好?", "我对花生过敏", "我对花生过敏"),
        ("I CAN'T eat  gluten", "I can't eat gluten", "I CAN'T eat  gluten"),
    ],
)
def test_a_note_is_the_users_own_whole_clause(text: str, quote: str, kept: str) -> None:
    judged = judge_one(text, quote)
    assert judged.outcome == "accepted"
    assert judged.part is not None
    assert text[judged.part.start : judged.part.end] == kept


@pytest.mark.parametrize(
    ("text", "quote", "outcome"),
    [
        ("I moved to Leeds in May", "I moved to York in May", "evidence_missing"),
        ("I moved to Leeds in May", "oved to Leeds in Ma", "evidence_missing"),
        ("I moved to Leeds in May", "", "evidence_missing"),
        ("I moved to Leeds in May with my two daughters", "I moved", "torn"),
        ("> I am allergic to nuts\nwhat does she mean?", "I am allergic to nuts", "not_own_words"),
        ('He wrote "I always take the window seat" on the form.', "I always take the window seat", "not_own_words"),
        ("Would Porto be home for me?", "Would Porto be home for me", "not_asserted"),
        ("If I lived in Porto I would have two dogs", "If I lived in Porto I would have two dogs", "not_asserted"),
        ("如果我住在波尔图就好了", "如果我住在波尔图就好了", "not_asserted"),
        ("I work from the kitchen today", "I work from the kitchen today", "one_off"),
        ("play some jazz please", "play some jazz please", "unlikely"),
        ("thanks, that was funny", "that was funny", "unlikely"),
    ],
)
def test_what_is_no_lasting_clause_of_the_users_is_refused(text: str, quote: str, outcome: str) -> None:
    judged = judge_one(text, quote)
    assert judged.outcome == outcome
    assert judged.part is None


def test_what_the_reader_drafted_is_known_and_what_a_model_says_twice_stands_once() -> None:
    text = "I live in Ghent, and I work as a midwife."
    assert judge_one(text, "I live in Ghent", held=((0, 15),)).outcome == "known"
    twice = [ProposedNote(message=1, quote="I work as a midwife")] * 2
    assert [one.outcome for one in gate_notes(read_message(text), twice, ())] == ["accepted", "known"]


@pytest.mark.parametrize(
    ("about", "outcome", "label"),
    [
        ("Theo", "accepted", "Theo"),
        ("my son", "accepted", "Theo"),
        ("", "accepted", None),
        ("the user", "accepted", None),
        ("Martha", "about_unknown", None),
        ("peanuts", "about_unknown", None),
    ],
)
def test_a_note_is_about_somebody_whom_the_message_names(about: str, outcome: str, label: str | None) -> None:
    judged = judge_one(THEO, "My son Theo is allergic to peanuts", about=about)
    assert judged.outcome == outcome
    assert (judged.person.label if judged.person else None) == label


@pytest.mark.parametrize(
    ("text", "vital", "kept", "lost"),
    [
        (THEO.split(",", maxsplit=1)[0], "none", "allergy", False),
        ("My hobby is baking sourdough on Sundays", "illness", "", True),
        ("I always take the window seat", "safety", "", True),
        ("我家在七宝", "legal", "", True),
    ],
)
def test_nothing_is_vital_by_a_models_word(text: str, vital: str, kept: str, lost: bool) -> None:
    judged = judge_one(text, text, vital=vital)
    assert judged.part is not None
    assert (judged.part.vital_class, judged.lost_vital) == (kept, lost)


@pytest.mark.parametrize(
    ("text", "key", "value", "place"),
    [
        ("I live in Porto these days", "city", "Porto", "city"),
        ("I'm a vegetarian", "diet", "vegetarian", "food/diet"),
        ("I am allergic to shellfish", "allergies", "shellfish", "food/allergies"),
        ("我对花生过敏", "allergies", "花生", "food/allergies"),
    ],
)
def test_a_slot_is_a_phrase_of_the_users_of_the_right_type(text: str, key: str, value: str, place: str) -> None:
    judged = judge_value(text, key, value)
    assert judged.reason is None
    assert [(place_of(one), one.value_texts[0]) for one in judged.candidates] == [(place, value)]
    assert {(one.provenance, one.confidence, one.origin) for one in judged.candidates} == {
        ("analysis", 0.8, "propose-1:some")
    }


@pytest.mark.parametrize(
    ("text", "key", "value", "reason"),
    [
        ("I live in Porto these days", "city", "Lisbon", "evidence_missing"),
        ("I live in Porto these days", "city", "Port", "evidence_missing"),
        ("I live in Porto these days", "planet", "Porto", "schema"),
        ("I live in Porto these days", "phone", "Porto", "schema"),
        ("I live in Porto these days", "age", "Porto", "schema"),
        ("I don't live in Porto", "city", "Porto", "not_asserted"),
        ("Should I live in Porto?", "city", "Porto", "not_asserted"),
        ("I used to live in Porto", "city", "Porto", "not_asserted"),
        ("My sister Ann lives in Porto", "city", "Porto", "not_the_subject"),
        ("They say Porto is dear", "city", "Porto", "not_the_subject"),
        ("I am in Porto today", "city", "Porto", "one_off"),
        ("I love strong tea", "employer", "strong tea", "schema"),
        ("I live in Porto these days", "name", "Porto", "unsupported"),
        ("I live in Porto these days", "employer", "Porto", "unsupported"),
    ],
)
def test_a_slot_that_the_clause_does_not_say_is_refused(text: str, key: str, value: str, reason: str) -> None:
    judged = judge_value(text, key, value)
    assert judged.reason == reason
    assert judged.candidates == ()
