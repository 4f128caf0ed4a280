"""A long conversation in a context: running summary and last turns, with nothing lost between. Rows: C4, C2, X1."""

import pytest

from snapshots.context.pipeline import ContextAnswer, ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest, SectionName
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation
from snapshots.window.config import WINDOW_CONFIG
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.context.world import all_content, elements
from tests.snapshots.understanding.making import conversation_of, post, settle

SAID = {
    "en": ("Let us talk about stage {} of the journey to Lisbon", "Stage {} takes {} hours."),
    "zh": ("我们说说去里斯本的第{}段行程", "第{}段要{}个小时。"),
}
ROOM = BudgetRequest(total=20_000, window=10_000)


def turn(house: House, number: int, language: str) -> None:
    asked, answered = SAID[language]
    post(
        house,
        [
            IncomingMessage(role="user", content=asked.format(number)),
            IncomingMessage(role="assistant", content=answered.format(number, number)),
        ],
    )


def build_next_context(house: House, language: str, budget: BudgetRequest = ROOM) -> ContextAnswer:
    request = ContextRequest(SAID[language][0].format(99), budget=budget)
    return build_context(house.tenant.id, "ada", ContextCall(request, "1", "c1"))


def turns_in(context: ContextAnswer) -> list[str]:
    return [str(one["content"]) for one in context.context.messages if one["role"] != "system"][:-1]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.slow
def test_every_turn_is_in_the_summary_or_in_the_window_at_any_time(world: World, language: str) -> None:
    house = world.acme
    for number in range(1, 33):
        turn(house, number, language)
        if number % 2 == 0 or number > 27:
            settle(house)
        if number < 9:
            continue
        with tenant_tx(house.tenant.id):
            told = conversation_of(house).summarised_seq
        shown = turns_in(build_next_context(house, language))
        expected = [text.format(n, n) for n in range(1, number + 1) for text in SAID[language]]
        assert shown == expected[-len(shown) :], "the newest, in order, without a gap"
        assert told + len(shown) >= 2 * number, (number, told, len(shown))
    context = build_next_context(house, language)
    (summary,) = elements(all_content(context.context.messages), "conversation_summary")
    assert SAID[language][0].format(27) in (summary.text or ""), "told up to the last three turns of thirty"


def test_a_summary_due_for_long_brings_no_more_than_as_many_turns_again(world: World) -> None:
    for number in range(1, 41):
        turn(world.acme, number, "en")
    assert len(turns_in(build_next_context(world.acme, "en"))) == 2 * WINDOW_CONFIG.messages


def test_a_conversation_that_is_not_remembered_shows_its_window_alone(world: World) -> None:
    for number in range(1, 16):
        turn(world.acme, number, "en")
    with tenant_tx(world.acme.tenant.id):
        Conversation.objects.update(remember=False)
    assert len(turns_in(build_next_context(world.acme, "en"))) == WINDOW_CONFIG.messages


def test_a_window_short_of_tokens_is_not_led_up_to_over_a_gap(world: World) -> None:
    long = "word " * 4 * (WINDOW_CONFIG.tokens // WINDOW_CONFIG.messages)
    post(world.acme, [IncomingMessage(role="user", content=f"{number} {long}") for number in range(30)])
    shown = turns_in(build_next_context(world.acme, "en", BudgetRequest(total=100_000, window=90_000)))
    assert 0 < len(shown) < WINDOW_CONFIG.messages
    assert [int(one.split()[0]) for one in shown] == list(range(30 - len(shown), 30))


def test_within_the_budget_the_oldest_turns_leave_first(world: World) -> None:
    for number in range(1, 20):
        turn(world.acme, number, "zh")
    settle(world.acme)
    result = build_next_context(world.acme, "zh", BudgetRequest(total=1_200, window=150))
    window = next(one for one in result.context.sections if one.name is SectionName.WINDOW)
    assert 0 < window.tokens <= 150
    assert turns_in(result)[-1] == SAID["zh"][1].format(19, 19)
