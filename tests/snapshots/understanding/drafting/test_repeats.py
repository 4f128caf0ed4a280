"""The same saying confirms the held note; other numbers, people or a denial are something new. Rows: P9, P12."""

import pytest

from snapshots.understanding.drafting.repeats import says_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I take the ferry to work", "i take the ferry to work."),
        ("we always take the ferry to work on Mondays", "We always take the ferry to work on Mondays, always"),
        ("我每天七点起床", "我每天七点起床。"),
    ],
)
def test_said_again(one: str, other: str) -> None:
    assert says_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I take the ferry at 7", "I take the ferry at 8"),
        ("I eat meat", "I don't eat meat"),
        ("我吃辣", "我不吃辣"),
        ("my budget is 400", "my limit is 400 for shoes"),
        ("我七点起床", "我八点起床"),
    ],
)
def test_said_otherwise(one: str, other: str) -> None:
    assert not says_the_same(one, other)
