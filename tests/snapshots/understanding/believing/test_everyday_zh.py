"""What rules learn from everyday Chinese, which mostly teaches nothing: `everyday_zh.jsonl`, 332 lines and 60 that do.

Rows: E1, E2.
"""

import json
from pathlib import Path

import pytest

from lab.measuring.blind_utterances import compare_line, read_entries, score_utterances
from lab.measuring.golden_sets import load_rows

# One worker reads the set, each line once.
pytestmark = pytest.mark.xdist_group("everyday zh")
MADIAL = Path("/work/shared/data/madial-zh-dev.json")
FALSE_PER_HUNDRED = 1.5
"""Candidates of a hundred lines that teach nothing."""
RECALL = {"explicit": 0.58, "change": 0.4, "constraint": 0.4}


def test_everyday_talk_teaches_next_to_nothing() -> None:
    nothing = [row for row in load_rows("everyday_zh") if row["class"] == "nothing"]
    assert len(nothing) == 332
    wrong = sum(len(compare_line(row, "said")[1]) for row in nothing)
    assert 100 * wrong / len(nothing) <= FALSE_PER_HUNDRED


@pytest.mark.parametrize("name", sorted(RECALL))
def test_what_people_tell_of_themselves_in_it_is_learned(name: str) -> None:
    assert score_utterances(load_rows("everyday_zh"), "said")[name].recall >= RECALL[name]


@pytest.mark.parametrize(
    "text",
    [
        "养老是社会问题",
        "清洁工每天打扫写字楼",
        "第一次在网上买东西",
        "租房要付押金",
        "农民热爱土地",
        "他把旧车改装了",
        "Lisa在家里养了一只小乌龟",
        "房间不错,我住的大床房,早餐种类也多。第二天退房的时候前台还送了水果。",
        "看完之后,非常喜欢作者细腻的文笔,她把都市生活写得很真。",
    ],
)
def test_stories_truths_and_parts_of_words_teach_nothing(text: str) -> None:
    assert read_entries(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("这家店人太多了,不过菜还行。我从来不吃牛肉,所以只点了鱼。吃完就回家了。", "牛肉"),
        ("昨天看了场演唱会,回来太晚了。我一直喜欢听爵士乐,下次还想去。", "爵士乐"),
    ],
)
def test_in_a_story_what_the_speaker_says_of_himself_counts(text: str, value: str) -> None:
    assert any(value in found for entry in read_entries(text) for found in entry.values)


def test_nothing_wrong_is_learned_of_tales_about_others() -> None:
    if not MADIAL.exists():
        pytest.skip("the evaluation data are not here")
    told = {
        message["message_id"]: message["content"]
        for subject in json.loads(MADIAL.read_text(encoding="utf-8"))["subjects"]
        for conversation in subject["conversations"]
        for message in conversation["messages"]
    }
    labels = [row for row in load_rows("everyday_zh_labels") if row["source"] == "madial"]
    wrong = [row for row in labels if row["label"] == "wrong"]
    assert wrong
    assert [row["message_id"] for row in wrong if read_entries(told[row["message_id"]])] == []
