"""Every row gives exactly what it says of its example."""

from dataclasses import replace

import pytest

from lab.measuring.single_message_reading import build_graded_context
from snapshots.understanding.slots.candidate_builders import SLOTS
from snapshots.understanding.slots.slot_patterns import LANGUAGES, SlotQuestion, SlotRow, list_group_rows, load_language
from snapshots.understanding.slots.slot_reading import ALONE, read_slots
from snapshots.understanding.values import ExtractionContext
from tests.snapshots.understanding.slots.describing import describe

ROWS = [row for code in LANGUAGES for row in list_group_rows(load_language(code).groups)]
ASKS = [ask for code in LANGUAGES for ask in load_language(code).asks]


def name_row(row: SlotRow | SlotQuestion) -> str:
    return f"{row.place}-{row.slot}-{row.example[:30]}"


@pytest.mark.parametrize("row", ROWS, ids=name_row)
def test_a_row_gives_what_its_example_says(row: SlotRow) -> None:
    context = build_graded_context(row.example) if row.is_graded else ALONE
    assert describe(read_slots(row.example, context, message_key="m")) == dict(row.gives)


@pytest.mark.parametrize("row", [row for row in ROWS if row.is_graded], ids=name_row)
def test_a_graded_row_reads_no_clause_that_the_reader_does_not_find_lasting(row: SlotRow) -> None:
    idle = tuple(replace(one, lasting=0.2) for one in build_graded_context(row.example).graded)
    found = read_slots(row.example, ExtractionContext(graded=idle), message_key="m")
    assert [one for one in found if one.origin] == []


@pytest.mark.parametrize("row", ROWS, ids=name_row)
def test_a_row_names_a_slot(row: SlotRow) -> None:
    assert row.slot in SLOTS


@pytest.mark.parametrize("ask", ASKS, ids=name_row)
def test_a_bare_answer_fills_the_slot_that_was_asked_for(ask: SlotQuestion) -> None:
    got = read_slots(ask.example, ExtractionContext(previous=ask.example_question), message_key="m")
    assert describe(got) == dict(ask.gives)
