"""A line that somebody else speaks fills no slot; a line under a heading does. Rows: P2, P3, E2."""

import pytest

from snapshots.understanding.slots.slot_reading import read_slots
from snapshots.understanding.values import ExtractionContext
from tests.snapshots.understanding.slots.describing import describe

OTHERS = (
    "小明:我住在上海",
    "王芳:我在苏州当老师",
    "我妈:我对花生过敏",
    "Mum: I live in Cork",
    "Sue: I live in Cork\nSue: where are you?",
    "Sue: I live in Cork",
    "Sue Parker: my name's Sue and I'm a nurse",
    "Ok, here it is\nMarta: I'm allergic to peanuts",
    "Dr Okafor: we live in Leeds",
)
HEADED = (
    ("更正:我住在上海", {"city": "上海"}),
    ("过敏:我对花生过敏", {"food/allergies": ["花生"]}),
    ("我:我住在上海", {"city": "上海"}),
    ("Update: I live in Porto now", {"city": "Porto"}),
    ("Quick question: I live in Porto, is it far?", {"city": "Porto"}),
    ("Allergies: I'm allergic to peanuts", {"food/allergies": ["peanuts"]}),
    ("User: I live in Porto", {"city": "Porto"}),
)


@pytest.mark.parametrize("message", OTHERS)
def test_a_line_of_another_speaker_fills_no_slot(message: str) -> None:
    assert describe(read_slots(message, message_key="m")) == {}


@pytest.mark.parametrize(("message", "gives"), HEADED)
def test_a_line_under_a_heading_is_the_users(message: str, gives: dict[str, object]) -> None:
    assert describe(read_slots(message, message_key="m")) == gives


def test_a_line_under_the_users_own_name_is_the_users() -> None:
    known = ExtractionContext(frozenset({"王芳"}))
    assert describe(read_slots("王芳:我住在苏州", known, message_key="m")) == {"city": "苏州"}
