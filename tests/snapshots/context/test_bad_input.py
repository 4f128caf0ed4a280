"""Memories and requests as nobody wishes them: still a context, within its budget. Rows: X1, X11, P4."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.context.pipeline import ContextAnswer, ContextCall, build_context
from snapshots.context.token_budget import BudgetTooSmall
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.models import Note, NoteGrade
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.context.world import all_content, words_in
from tests.snapshots.held import know
from tests.snapshots.notes_held import note_down

MANY = 10_000
DAY = timedelta(days=1)


def ask(
    house: House, query: str, total: int | None = None, at: datetime | None = None, locale: str | None = None
) -> ContextAnswer:
    request = ContextRequest(query, budget=BudgetRequest(total=total), at=at, tenant_locale=locale)
    return build_context(house.tenant.id, house.subject.external_id, ContextCall(request, "1"))


def content_of(answer: ContextAnswer) -> str:
    return all_content(answer.context.messages)


def link_to_newer(house: House, older: UUID, newer: UUID) -> None:
    with tenant_tx(house.tenant.id):
        assert Note.objects.filter(snapshot_id=older).update(newer=newer) == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_10_000_notes_are_asked_within_every_budget(world: World) -> None:
    texts = [f"The jar on shelf {n} holds {('plums', 'beans', '花生', '辣椒')[n % 4]}" for n in range(MANY)]
    note_down(world.acme, *texts)
    note_down(world.acme, "The violin stands at the luthier 小提琴在修琴师那里")
    note_down(world.acme, *(f"No dish number {n}" for n in range(300)), grade=NoteGrade.LIMIT)
    note_down(world.acme, "Peanuts make me ill", vital_class="allergy")
    for total in (300, 1000, 6000):
        answer = ask(world.acme, "Where is the violin?", total)
        assert answer.context.tokens.total <= total
        assert "Peanuts make me ill" in str(answer.context.messages[0]["content"])
        assert "luthier" in content_of(answer)


@pytest.mark.parametrize("length", [2, 3, 7])
def test_notes_that_contradict_in_a_circle_all_come_once(world: World, length: int) -> None:
    texts = [f"My dentist is on the street of {name}" for name in ("oak", "elm", "ash", "fir", "yew", "fig", "box")]
    notes = note_down(world.acme, *texts[:length])
    for older, newer in zip(notes, [*notes[1:], notes[0]], strict=True):
        link_to_newer(world.acme, older, newer)
    said = words_in(str(ask(world.acme, "On which street is my dentist?").context.messages[1]["content"]))
    assert sorted(said) == sorted(texts[:length])


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("What does my brother Karl play?", "My brother Karl plays the cello"),
        ("我妹妹在哪里工作？", "我妹妹小雨在成都的医院工作"),
        ("My sister 小雨 works where?", "我妹妹小雨在成都的医院工作"),
    ],
)
def test_a_memory_in_two_languages_answers_in_both(world: World, query: str, meant: str) -> None:
    note_down(world.acme, "My brother Karl plays the cello", "我妹妹小雨在成都的医院工作")
    note_down(world.acme, "花生 peanuts 过敏 allergy", vital_class="allergy")
    prefix, brief = (str(one["content"]) for one in ask(world.acme, query).context.messages[:2])
    assert "花生 peanuts 过敏 allergy" in prefix
    assert meant in words_in(brief)


@pytest.mark.parametrize("days", [-40_000, -400, -1, 1, 400, 40_000])
def test_a_moment_in_the_past_or_future_dates_the_question_and_leaves_memories_alone(world: World, days: int) -> None:
    know(world.acme, name="Ada", timezone="Asia/Shanghai")
    note_down(world.acme, "The piano came from an aunt")
    note_down(world.acme, "The piano is to be tuned", expires_at=utc_now() + DAY)
    now, moment = utc_now(), datetime(2026, 11, 23, 20, tzinfo=UTC) + days * DAY
    answer = ask(world.acme, "What of the piano?", at=moment)
    local = moment + timedelta(hours=8)
    today = f"Today is {local:%A}, {local.day} {local:%b} {local.year}."
    assert today in str(answer.context.messages[1]["content"])
    shown = content_of(answer)
    assert "The piano came from an aunt" in shown
    assert "The piano is to be tuned" in shown
    assert answer.receipt is not None
    assert answer.receipt.created_at >= now


@pytest.mark.parametrize("query", ["Which nuts?", "哪些坚果？"])
def test_small_budgets_hold_and_keep_the_vital_note_from_120_on(world: World, query: str) -> None:
    know(world.acme, name="Ada")
    note_down(world.acme, "Nuts make me ill 坚果过敏", vital_class="allergy")
    note_down(world.acme, *(f"Nuts of sort {n} 坚果 stand on the shelf" for n in range(40)))
    held = {}
    for total in range(60, 301, 20):
        context = ask(world.acme, query, total).context
        assert context.tokens.total <= total
        assert context.messages[-1]["content"] == query
        held[total] = "Nuts make me ill" in all_content(context.messages)
    assert [total for total, holds in held.items() if total >= 120 and not holds] == []


def test_a_budget_below_the_question_says_what_is_needed(world: World) -> None:
    with pytest.raises(BudgetTooSmall) as refused:
        ask(world.acme, "Which nuts do I like best of all? " * 12, 60)
    assert refused.value.needed > 60
