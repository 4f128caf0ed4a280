"""The last day of a plan, by its words and the day they were said. Rows: P9, X1."""

from datetime import date

import pytest

from snapshots.recall.times.plan_dates import parse_last_day

WEDNESDAY = date(2026, 5, 6)
PLANS = [
    ("We're flying to Porto on the 14th of May", date(2026, 5, 14)),
    ("The wedding is on 6 September", date(2026, 9, 6)),
    ("The trial was set for May 3rd", date(2027, 5, 3)),
    ("Surgery on the 12th", date(2026, 5, 12)),
    ("Dinner with Ana tomorrow", date(2026, 5, 7)),
    ("I'm meeting Ana on Friday", date(2026, 5, 8)),
    ("Next Friday we move", date(2026, 5, 15)),
    ("We go to Rome next month", date(2026, 6, 30)),
    ("In two weeks I run the marathon", date(2026, 5, 20)),
    ("The exam is in July", date(2026, 7, 31)),
    ("Flying on 2026-06-01", date(2026, 6, 1)),
    ("Away from the 14th to the 17th of June", date(2026, 6, 17)),
    ("下周三开会", date(2026, 5, 13)),
    ("5月14号飞大理", date(2026, 5, 14)),
    ("18号体检", date(2026, 5, 18)),
    ("明天搬家", date(2026, 5, 7)),
    ("周五见客户", date(2026, 5, 8)),
    ("下个月去北京", date(2026, 6, 30)),
    ("三天后手术", date(2026, 5, 9)),
    ("周末去爬山", date(2026, 5, 10)),
    ("婚礼定在十月三号", date(2026, 10, 3)),
    ("下下周一出差", date(2026, 5, 18)),
    ("7月考试", date(2026, 7, 31)),
    ("明年买房", date(2027, 12, 31)),
]
UNDATED = [
    "Choir every Monday",
    "I swim on Tuesdays",
    "I may move",
    "We march on",
    "I want to learn Spanish",
    "I live on the 3rd floor",
    "Meeting on the 31st of June",
    "每周三上课",
    "我住18楼",
    "想学帆船",
    "以后天天跑步",
]


BEGINNINGS = [
    "From the 1st of November the new place is 4 Chapel Yard",
    "I'm working from home from Monday on",
    "In two weeks I start at the mill",
    "The lease starts on 1 July",
    "As of 3 June we live in Leeds",
    "We're moving to Lisbon on the 20th",
    "She joins the new school in September",
    "The new number is in force from next Friday onwards",
    "Mum moves in with us next month",
    "After the 12th I'm reachable at the office",
    "I switch to the night shift on Monday",
    "Starting tomorrow I eat no sugar",
    "Effective 1 August my surname is Brandt",
    "I won't be back in Porto until the 9th",
    "下个月1号起住在滨江路8号",
    "从下周一开始吃素",
    "5月20号入职新公司",
    "6月1日起改走沿江路",
    "自7月起不用接孩子",
    "明天开始不喝咖啡了",
    "下周三搬到浦东",
    "九月转学到二中",
    "18号以后打新号码",
    "新地址6月3号生效",
    "周五起换成夜班",
]
ENDS_BESIDE_BEGINNINGS = [
    ("Away from the 14th to the 17th of June", date(2026, 6, 17)),
    ("I'm on leave from tomorrow to Friday", date(2026, 5, 8)),
    ("Lunch with someone from work on Friday", date(2026, 5, 8)),
    ("8号到9号出差", date(2026, 5, 9)),
    ("从明天到周五休假", date(2026, 5, 8)),
    ("从杭州来的朋友周五到", date(2026, 5, 8)),
    ("后天去体检", date(2026, 5, 8)),
    ("明天后天都在家", date(2026, 5, 8)),
]


@pytest.mark.parametrize("text", BEGINNINGS)
def test_what_begins_on_a_day_is_not_past_after_it(text: str) -> None:
    assert parse_last_day(text, WEDNESDAY) is None


@pytest.mark.parametrize(("text", "last"), [*PLANS, *ENDS_BESIDE_BEGINNINGS])
def test_a_plan_is_past_after_the_last_day_it_names(text: str, last: date) -> None:
    assert parse_last_day(text, WEDNESDAY) == last


@pytest.mark.parametrize("text", UNDATED)
def test_what_names_no_day_or_comes_again_is_never_past(text: str) -> None:
    assert parse_last_day(text, WEDNESDAY) is None


@pytest.mark.parametrize("text", ["1" * 4_000, "next " * 800, "下" * 4_000, "9月" * 2_000, "in 99 months " * 300])
def test_no_text_breaks_it(text: str) -> None:
    last = parse_last_day(text, date(2026, 1, 31))
    assert last is None or last > date(2025, 12, 31)
