"""A page of one thing repeated costs no more than a page of text. Rows: S1, E1, G4. Matrix: 49, 51."""

from datetime import UTC, datetime

import pytest

from snapshots.summaries.conversation_snapshots import draft_conversation_snapshot
from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.statements.statements import extract_statement
from snapshots.understanding.values import Extraction, ExtractionContext, Utterance
from tests.growth import assert_linear

PAGE_BYTES = 65_000


def utter(text: str) -> Utterance:
    return Utterance("m1", "user", None, text, datetime.now(UTC), 1)


@pytest.mark.parametrize(
    "unit",
    [
        "一",
        "二十三",
        "1-",
        "no, ",
        "4111 ",
        "我喜欢",
        "但",
        "吃,",
        "我叫a,",
        "我对a过敏,",
        "I like a, ",
        "avoid a and ",
    ],
)
def test_a_hostile_page_is_read_in_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        page = utter(text)
        extract_statement(page)
        extract_candidates(page, context=ExtractionContext())

    assert_linear(read, unit * (PAGE_BYTES // len(unit.encode())))


@pytest.mark.parametrize("unit", ["a", " ", "please ", "1-"])
def test_a_conversation_of_endless_sentences_is_cut_in_linear_time(unit: str) -> None:
    text = unit * (PAGE_BYTES // len(unit))
    assert_linear(lambda part: draft_conversation_snapshot([utter(part)], tool_called=True), text)


def test_a_page_of_different_things_is_a_list_to_be_read_and_teaches_nothing() -> None:
    page = utter(" ".join(f"I like thing{i}." for i in range(300)))
    assert extract_candidates(page, context=ExtractionContext()) == Extraction()
