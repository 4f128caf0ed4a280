"""What fits into the window. Rows: C2."""

from datetime import UTC, datetime
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from snapshots.window.config import WindowConfig
from snapshots.window.values import WindowMessage, choose_newest_turns

SAID_AT = datetime(2026, 3, 1, tzinfo=UTC)


def turns(*tokens: int) -> list[WindowMessage]:
    return [
        WindowMessage(uuid4(), f"m{seq}", seq, "user", None, "words", SAID_AT, size)
        for seq, size in enumerate(tokens, start=1)
    ]


def kept_places(tokens: list[int], config: WindowConfig | None = None) -> list[int]:
    return [turn.seq for turn in choose_newest_turns(turns(*tokens), config or WindowConfig())]


def test_the_last_twenty_messages_stay() -> None:
    assert kept_places([1] * 25) == list(range(6, 26))


def test_the_oldest_leave_when_the_tokens_do_not_fit() -> None:
    assert kept_places([3000, 2000, 2000, 1000]) == [2, 3, 4]


def test_a_turn_too_large_for_the_window_ends_it_and_is_not_cut() -> None:
    assert kept_places([10, 5001, 20]) == [3]
    assert kept_places([10, 5001]) == []


@given(st.lists(st.integers(0, 3000), max_size=40), st.integers(1, 30), st.integers(0, 6000))
def test_a_window_is_the_longest_run_of_newest_turns_within_both_limits(
    tokens: list[int], most: int, budget: int
) -> None:
    seqs = kept_places(tokens, WindowConfig(messages=most, tokens=budget))

    count = len(seqs)
    assert seqs == list(range(len(tokens) - count + 1, len(tokens) + 1))
    assert count <= most
    assert sum(tokens[len(tokens) - count :]) <= budget
    one_more = count + 1
    if one_more <= min(most, len(tokens)):
        assert sum(tokens[len(tokens) - one_more :]) > budget
