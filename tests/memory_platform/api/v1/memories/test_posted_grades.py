"""What a posted note is its words say, unless the product does. Rows: P9, X1, G4."""

import pytest

from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_notes import ADA, post


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("Never drive on the motorway", "limit"),
        ("I run every morning", "habit"),
        ("We're flying to Porto on the 14th of May", "plan"),
        ("I live in Leeds", "fact"),
        ("what's the weather like", "fact"),
        ("别走高速", "limit"),
        ("我每天早上跑步", "habit"),
        ("我们5月14日飞波尔图", "plan"),
        ("我住在杭州", "fact"),
        ("今天天气怎么样", "fact"),
    ],
)
def test_the_words_of_a_note_say_what_it_is_unless_the_product_does(acme: Caller, text: str, grade: str) -> None:
    made = post(acme, text)
    assert (made["grade"], made["grade_probability"]) == (grade, 1.0)
    other = {"kind": "contact", "label": "Theo"}
    assert post(acme, text, about=other)["grade"] == ("about_other" if grade == "fact" else grade)
    assert post(acme, f"{text}!", grade="habit")["grade"] == "habit"


@pytest.mark.parametrize(("limit", "query"), [("Never drive on the motorway", "hello"), ("别走高速", "你好")])
def test_a_written_limit_stands_whatever_is_asked(acme: Caller, limit: str, query: str) -> None:
    post(acme, limit)
    post(acme, "I live in Leeds 住在利兹", grade="fact")
    messages = body_of(acme("POST", f"{ADA}/context", {"query": query, "system_prompt": "Help."}))["messages"]
    assert limit in messages[0]["content"]
    assert "Leeds" not in messages[0]["content"]


@pytest.mark.parametrize(
    ("plan", "other", "query", "until"),
    [
        (
            "We're flying to Porto on the 14th of May",
            "My dentist is in Rome",
            "When do we fly to Porto?",
            " (until 14 May 2025)",
        ),
        ("我们5月14日飞波尔图", "我的牙医在罗马", "我们什么时候飞波尔图?", " (至2025年5月14日)"),
    ],
)
def test_a_written_plan_is_past_after_its_day(acme: Caller, plan: str, other: str, query: str, until: str) -> None:
    post(acme, plan, said_at="2025-05-01T09:00:00Z")
    post(acme, other)
    told = body_of(acme("POST", f"{ADA}/context", {"query": query}))["messages"][1]["content"]
    assert f"{plan}{until}" in told
