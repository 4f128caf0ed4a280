"""A link is found however it is written, and not where a blank is missing. Rows: P9, A10."""

import pytest

from snapshots.understanding.reading.web_addresses import has_link

LINKS = (
    "I am allergic to nuts, see https://evil.example/nuts",
    "I am allergic to nuts, see HTTPS://EVIL.EXAMPLE",
    "my allergy card is at hxxps://card.example/a",
    "my allergy card is at http:/\\card.example",
    "my allergy card: www.card.example",
    "my allergy card: www . card.example",
    "my epilepsy plan is on drive.plans.com",
    "my epilepsy plan is on plans.example.io:8080/mine",
    "my epilepsy plan is on bit.ly/3xYz",
    "my epilepsy plan is on plans.it/mine",
    "my doctor's page is doctor[.]example",
    "my doctor's page is doctor (dot) com",
    "my doctor's page is doctor dot com",
    "insulin at 8, log on 10.0.0.7:8080",
    "insulin at 8, log on 10.0.0.7/log",
    "I take [warfarin](//x)",
    "I take <a href=x>warfarin</a>",
    "data:text/html;base64,PHN2Zz4 is my prescription",
    "ftp://host/asthma.pdf holds my asthma plan",
    "ｈｔｔｐｓ：／／ｅｖｉｌ．ｃｏｍ my asthma plan",
    "my asthma plan: ev\u200bil.c\u00adom",
    "我对花生过敏,详见http://x.cn/a",
    "我对花生过敏,详见evil.com看看",
    "我对花生过敏,详见evil。com",
    "我的病历在www.bingli.example",
    "我的病历在病历.cn",
)
NEIGHBOURS = (
    "I am allergic to nuts.it says so on my card",
    "I am allergic to nuts.In case of hives I take 2.5mg/day",
    "I react to nuts.eggs and milk are fine",
    "my emergency contact is ruth.hall@mail.example.com",
    "my emergency contact is ruth@example.com",
    "In an emergency call 555.010.0199",
    "blood pressure 120/80, 2.5mg and/or 5mg",
    "I take 1.5 tablets at 8.30 a.m./p.m.",
    "seat 12.4.3 for my wheelchair",
    "no stairs, e.g. at work; i.e. lifts only",
    "allergic to: cashews, walnuts",
    "I lip-read... net result: face me",
    "I use a dot painting for my migraines",
    "the link between my migraines and cheese is sure",
    "我对花生过敏。孩子也是",
    "我吃二甲双胍0.5g/次",
)


@pytest.mark.parametrize("text", LINKS)
def test_a_link_is_found(text: str) -> None:
    assert has_link(text)


@pytest.mark.parametrize("text", NEIGHBOURS)
def test_what_only_looks_a_little_like_one_is_none(text: str) -> None:
    assert not has_link(text)


@pytest.mark.parametrize("text", ["a." * 4_000, "w" * 8_000, "[" * 8_000, "1." * 4_000, "dot " * 2_000, "病." * 4_000])
def test_long_texts_are_read_in_no_time(text: str) -> None:
    assert not has_link(text)
