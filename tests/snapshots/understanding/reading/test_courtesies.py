"""Which messages become statements: only pure courtesy and bare commands are skipped. Rows: S2."""

import json
from pathlib import Path

import pytest

from snapshots.understanding.reading.courtesies import says_something

DATA = Path(__file__).parents[4] / "shared" / "data"
EMPTY_EN = """
Hi there!|good morning|ok|Okay, thanks!|Thank you so much :)|yes please|bye, take care|next|pause|Navigate home
turn it up|how are you doing today?|Got it, thanks|lol|WOW!!|...|👍
"""
EMPTY_ZH = "你好|您好,在吗?|好的,谢谢|嗯嗯|好的好的|哈哈哈哈|继续|下一首|导航回家|打开空调|晚安|謝謝|ok 好的"
TELLING_EN = """
Hi, I'm Ada|ok, Tuesday then|thanks, the blue one|yes, 42|42|No, I meant Berlin|I like jazz|bye, off to Rome|play Mozart
Hey Evan! Long time no see, how's it going?|set the AC to 23|good soup|yes, vegan|Привет|おはよう
"""
TELLING_ZH = "好的,周二见|谢谢小王|导航去公司|不吃辣|我在家|继续上次的方案|早上八点|对花生过敏"
EMPTY = ["", *EMPTY_EN.strip().replace("\n", "|").split("|"), *EMPTY_ZH.split("|")]
TELLING = [*TELLING_EN.strip().replace("\n", "|").split("|"), *TELLING_ZH.split("|")]


@pytest.mark.parametrize("text", EMPTY)
def test_courtesies_and_bare_commands_are_skipped(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize("text", TELLING)
def test_a_message_with_content_is_kept(text: str) -> None:
    assert says_something(text)


@pytest.mark.parametrize("name", ["locomo-dev", "madial-zh-dev"])
def test_no_evidence_of_the_data_sets_is_skipped(name: str) -> None:
    path = DATA / f"{name}.json"
    if not path.exists():
        pytest.skip("evaluation data is not part of the repository")
    for subject in json.loads(path.read_text(encoding="utf-8"))["subjects"]:
        evidence = {key for question in subject["questions"] for key in question["evidence"]}
        messages = [message for talk in subject["conversations"] for message in talk["messages"]]
        lost = [m["content"] for m in messages if m["message_id"] in evidence and not says_something(m["content"])]
        assert lost == []
