"""What tells something of a special category of somebody, and what only holds its words. Rows: P9, E2."""

import pytest

from snapshots.sensitive.special_categories import find_special_categories

TOLD = {
    "health": (
        "I am allergic to peanuts",
        "my son Theo has asthma",
        "She takes 500 mg of metformin twice a day",
        "I use a wheelchair",
        "Just got diagnosed, they say it's ADHD",
        "asthma and hay fever",
        "As you have diabetes, I left out the cake",
        "我对花生过敏",
        "我妈有高血压",
        "医生说我得的是痛风",
    ),
    "faith": ("We're Muslim, so no pork please", "my church meets on Sundays", "我信佛,不吃荤", "我们家是清真的"),
    "politics": ("I voted for the Greens", "I'm a shop steward at work", "我是党员"),
    "origin": ("I'm black and so is my wife", "我是回族"),
    "love": ("I'm gay", "my brother came out to us last year", "我是同性恋"),
    "body": ("My BRCA1 result came back", "我做过基因检测"),
}
NOTHING = (
    "What is diabetes?",
    "Who founded Buddhism in the sixth century before Christ?",
    "Explain how insulin was first made in the laboratory in Toronto",
    "I live in Porto and work nights",
    "My heart's not in it",
    "Doctor Who is on at eight, can you record it for me?",
    "Put the whites and the blacks in two loads for me",
    "I love black coffee and white wine",
    "My union jack mug broke",
    "We are right behind you, turn left",
    "I can't stand loud music",
    "a blind date with my neighbour",
    "my phone needs a new screen",
    "I tolerate no delay of my parcels",
    "我喜欢喝黑咖啡",
    "我住在苏州,星期天做礼拜天的作业",
    "帮我把闹钟调到七点",
    "佛罗伦萨三天怎么玩,我想看画",
    "我的车在回家的路上",
)


@pytest.mark.parametrize(("text", "category"), [(text, name) for name, texts in TOLD.items() for text in texts])
def test_what_is_told_of_somebody_is_found(text: str, category: str) -> None:
    assert category in find_special_categories(text)


@pytest.mark.parametrize("text", NOTHING)
def test_other_words_are_left_alone(text: str) -> None:
    assert find_special_categories(text) == ()


def test_a_message_is_read_by_sentences() -> None:
    assert find_special_categories("I work nights. Our priest is kind! What is dementia?\nmy meds are in the car") == (
        "health",
        "faith",
    )
    assert find_special_categories("I AM ALLERGIC TO NUTS 我信佛") == ("health", "faith")


@pytest.mark.parametrize("text", ["i " * 20_000, "." * 40_000, "allerg" * 8_000, "我" * 20_000, "chronic " * 8_000])
def test_long_texts_are_read_in_time(text: str) -> None:
    assert find_special_categories(text) == ()
