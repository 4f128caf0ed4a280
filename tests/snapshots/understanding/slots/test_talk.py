"""Right or silent: neighbours of the sentences that were once misread, everyday talk, speed."""

import json
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lab.measuring.blind_utterances import compare_line, list_entries
from lab.measuring.golden_sets import load_rows
from snapshots.understanding.slots.slot_patterns import list_group_rows, load_language
from snapshots.understanding.slots.slot_reading import LONGEST_READ, read_slots
from snapshots.understanding.values import ExtractionContext
from tests.growth import assert_linear
from tests.snapshots.understanding.slots.describing import describe

DATA = Path(__file__).parents[3] / "data" / "slots"
LEAST_FOUND = 0.85
LEAST_TAUGHT = 0.7


def neighbours(language: str) -> list[dict[str, Any]]:
    lines = (DATA / f"neighbours_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read(row: dict[str, Any]) -> dict[str, Any]:
    return describe(read_slots(row["text"], ExtractionContext(previous=row.get("previous")), message_key="m"))


@pytest.mark.parametrize("who", ["那个专家 Dr. Albrecht", "有个外宾", "那位", "两位嘉宾"])
def test_a_guests_diet_is_not_the_users(who: str) -> None:
    assert read_slots(f"{who}下周二来,吃素的,主任让我安排午饭", message_key="m") == []


@pytest.mark.parametrize("where", ["就订这位置吧", "那位置可以"])
def test_a_seat_is_no_guest(where: str) -> None:
    (taste,) = read_slots(f"{where},不吃辣", message_key="m")
    assert getattr(taste, "value", None) == ("辣",)


HOMES = [
    ("I am allergic to peanuts, and my home is at 12 Elm Street.", "home", "12 Elm Street"),
    ("I am allergic to peanuts and our new address is 12 Elm Street.", "home", "12 Elm Street"),
    ("We got the keys: from Saturday we live in York, 41 Bishopthorpe Road", "home", "41 Bishopthorpe Road"),
    ("我们搬到苏州了,新家在工业园区星湖街20号", "家", "工业园区星湖街20号"),
]


@pytest.mark.parametrize(("text", "label", "address"), HOMES)
def test_a_home_is_read_beside_what_else_a_sentence_tells(text: str, label: str, address: str) -> None:
    assert read({"text": text})[f"tag/{label}"] == {"kind": "place", "address": address}


@pytest.mark.parametrize("text", ["her mother and my brother's home is 12 Elm Street", "我弟开学就初三了"])
def test_what_is_no_home_or_name_fills_nothing(text: str) -> None:
    assert read({"text": text}) == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_neighbours_give_the_right_value_or_nothing(language: str) -> None:
    wrong = []
    for row in neighbours(language):
        got = read(row)
        if any(row["gives"].get(place) != value for place, value in got.items()):
            wrong.append((row["id"], row["text"], got, row["gives"]))
    assert wrong == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_most_neighbours_that_say_something_are_read(language: str) -> None:
    if not list(list_group_rows(load_language(language).groups)):
        pytest.skip("this language has no rows")
    telling = [row for row in neighbours(language) if row["gives"]]
    missed = [row["id"] for row in telling if read(row) != row["gives"]]
    assert len(missed) <= (1 - LEAST_FOUND) * len(telling), missed


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_taught_is_read_and_its_traps_are_not(language: str) -> None:
    told: Counter[str] = Counter()
    wrong = []
    for row in load_rows(f"slots_teach_{language}"):
        found = list_entries(read_slots(row["text"], message_key="m"))
        right, extra, missed = compare_line(row, "said", found)
        told.update(right=len(right), missed=len(missed))
        wrong += [(row["text"], extra)] if extra else []
    assert wrong == []
    assert told["right"] >= LEAST_TAUGHT * told.total()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_told_of_others_is_theirs(language: str) -> None:
    lines = (DATA / f"others_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    told = [(row["text"], read(row), row["gives"]) for row in map(json.loads, lines)]
    assert [one for one in told if one[1] != one[2]] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everyday_talk_gives_nothing(language: str) -> None:
    lines = (DATA / f"silent_{language}.txt").read_text(encoding="utf-8").splitlines()
    told = {line: describe(read_slots(line, message_key="m")) for line in lines}
    assert {line: got for line, got in told.items() if got} == {}


def test_evidence_quotes_the_message() -> None:
    message = "Hey. By the way,  I'm Priya, and I live in Leeds."
    for one in read_slots(message, message_key="m7"):
        assert one.evidence.message_key == "m7"
        assert message[one.evidence.start :].startswith(one.evidence.quote)


def test_a_field_with_two_values_in_one_message_is_left_out() -> None:
    assert read_slots("I live in Porto. I live in Faro.", message_key="m") == []


def test_a_document_is_not_read() -> None:
    assert read_slots("I live in Porto. " * (LONGEST_READ // 10), message_key="m") == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_sentences_are_read_in_the_time_of_each(language: str) -> None:
    texts = [row["text"] for row in neighbours(language)[::5]]
    messages = [f"{one} {other}" for one, other in pairwise(texts)]
    apart, together = (min(_milliseconds(read) for _ in range(3)) for read in (texts, messages))
    assert together < 2 * 2 * apart, "each text stands in two messages; as much again is left for what joins them"


@pytest.mark.parametrize(
    "part",
    [
        "I like a b c d and ",
        "my budget for x ",
        "no ",
        "12 ",
        "I love, ",
        "my favourite is ",
        "'I ",
        "我喜欢",
        "我叫王",
        "我家在路1号",
        "以后都",
    ],
)
def test_hostile_messages_are_read_in_linear_time(part: str) -> None:
    message = (part * LONGEST_READ)[:LONGEST_READ]
    assert_linear(lambda text: read_slots(text, message_key="m"), message)


def _milliseconds(messages: list[str]) -> float:
    start = time.process_time()
    for message in messages:
        read_slots(message, message_key="m")
    return (time.process_time() - start) * 1000
