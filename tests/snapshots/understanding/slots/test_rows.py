"""Every row gives exactly what it says of its example."""

import pytest

from snapshots.understanding.slots.builders import SLOTS
from snapshots.understanding.slots.engine import describe, read_slots
from snapshots.understanding.slots.lexicon import LANGUAGES, Ask, Row, load_language
from snapshots.understanding.values import ExtractionContext

ROWS = [row for code in LANGUAGES for row in load_language(code).rows]
ASKS = [ask for code in LANGUAGES for ask in load_language(code).asks]


def named(row: Row | Ask) -> str:
    return f"{row.place}-{row.slot}-{row.example[:30]}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_row_gives_what_its_example_says(row: Row) -> None:
    assert describe(read_slots(row.example, message_key="m")) == dict(row.gives)


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_row_names_a_slot(row: Row) -> None:
    assert row.slot in SLOTS


@pytest.mark.parametrize("ask", ASKS, ids=named)
def test_a_bare_answer_fills_the_slot_that_was_asked_for(ask: Ask) -> None:
    got = read_slots(ask.example, ExtractionContext(previous=ask.example_question), message_key="m")
    assert describe(got) == dict(ask.gives)
