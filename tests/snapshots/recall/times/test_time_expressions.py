"""The times that questions name, in both languages. Rows: R2."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.recall.times.holidays import CHINESE_HOLIDAYS, ENGLISH_HOLIDAYS, LUNAR_DAYS
from snapshots.recall.times.time_expressions import MOST_ANCHORS, NamedTimeSpan, find_times

NOW = datetime(2023, 11, 22, 15, 0, tzinfo=UTC)
"""A Wednesday."""

EXPRESSIONS = """
What did we do in May 2023?                          | 2023-05-01 2023-06-01
Which country was Evan visiting in May, 2023?        | 2023-05-01 2023-06-01
during March 2023                                    | 2023-03-01 2023-04-01
What did I eat on 8 May?                             | 2023-05-08 2023-05-09
What did I eat on the 8th of May?                    | 2023-05-08 2023-05-09
May 8, 2023                                          | 2023-05-08 2023-05-09
May 8th 2022, a Sunday                               | 2022-05-08 2022-05-09
on 4th October, 2023                                 | 2023-10-04 2023-10-05
on Sept. 3                                           | 2023-09-03 2023-09-04
the party on December 24                             | 2022-12-24 2022-12-25
on March 5                                           | 2023-03-05 2023-03-06
on 29 February                                       | 2020-02-29 2020-03-01
2023-05-08                                           | 2023-05-08 2023-05-09
2023/5/8                                             | 2023-05-08 2023-05-09
my notes of 2023-05                                  | 2023-05-01 2023-06-01
Where did I live in 2022?                            | 2022-01-01 2023-01-01
What happened in late 2022?                          | 2022-09-01T08 2023-01-01
as of September 2023                                 | 1970-01-01 2023-10-01
before 2023                                          | 1970-01-01 2023-01-01
since June                                           | 2023-06-01 2023-11-23
after June 2023                                      | 2023-07-01 2023-11-23
summer of 2022                                       | 2022-06-01 2022-09-01
in the summer                                        | 2023-06-01 2023-09-01
last summer                                          | 2023-06-01 2023-09-01
this fall                                            | 2023-09-01 2023-12-01
during the winter                                    | 2022-12-01 2023-03-01
winter 2021                                          | 2021-12-01 2022-03-01
spring 2023                                          | 2023-03-01 2023-06-01
towards the end of summer 2023                       | 2023-08-01T08 2023-09-01
in mid-August 2023                                   | 2023-08-08T18 2023-08-24T06
in early June                                        | 2023-06-01 2023-06-11
When did Melanie go camping in July?                 | 2023-07-01 2023-08-01
in December                                          | 2022-12-01 2023-01-01
last May                                             | 2023-05-01 2023-06-01
last November                                        | 2022-11-01 2022-12-01
this June                                            | 2023-06-01 2023-07-01
from May to July 2023                                | 2023-05-01 2023-08-01
between March and June                               | 2023-03-01 2023-07-01
from November to January                             | 2022-11-01 2023-02-01
yesterday                                            | 2023-11-21 2023-11-22
the day before yesterday                             | 2023-11-20 2023-11-21
What did I say today?                                | 2023-11-22 2023-11-23
this morning                                         | 2023-11-22T04 2023-11-22T12
yesterday afternoon                                  | 2023-11-21T12 2023-11-21T18
last night                                           | 2023-11-21T18 2023-11-22T06
What did I say last week?                            | 2023-11-13 2023-11-20
this week                                            | 2023-11-20 2023-11-27
the week before last                                 | 2023-11-06 2023-11-13
two weeks ago                                        | 2023-11-06 2023-11-13
a couple of weeks ago                                | 2023-11-06 2023-11-13
3 days ago                                           | 2023-11-19 2023-11-20
a month ago                                          | 2023-10-01 2023-11-01
last month                                           | 2023-10-01 2023-11-01
six months ago                                       | 2023-05-01 2023-06-01
last year                                            | 2022-01-01 2023-01-01
this year                                            | 2023-01-01 2024-01-01
What did Evan start four years ago?                  | 2019-01-01 2020-01-01
a few days ago                                       | 2023-11-15 2023-11-22
the other day                                        | 2023-11-15 2023-11-23
the last three months                                | 2023-08-22 2023-11-23
in the past 2 weeks                                  | 2023-11-08 2023-11-23
last weekend                                         | 2023-11-18 2023-11-20
over the weekend                                     | 2023-11-18 2023-11-20
What have I been reading recently?                   | ~2023-11-08 2023-11-23
What do I eat these days?                            | ~2023-11-08 2023-11-23
on Monday                                            | 2023-11-20 2023-11-21
What did I do Sunday?                                | 2023-11-19 2023-11-20
last Friday                                          | 2023-11-17 2023-11-18
last Wednesday                                       | 2023-11-15 2023-11-16
on the Monday before July 24, 2023                   | 2023-07-17 2023-07-18, 2023-07-24 2023-07-25
on the Saturday after October 28, 2023               | 2023-11-04 2023-11-05, 2023-10-28 2023-10-29
the weekend before 4th October, 2023                 | 2023-09-30 2023-10-02, 2023-10-04 2023-10-05
the day after Halloween                              | 2023-11-01 2023-11-02, 2023-10-31 2023-11-01
the first weekend of August 2023                     | 2023-08-05 2023-08-07
the last Friday of June                              | 2023-06-30 2023-07-01
last Christmas                                       | 2022-12-24 2022-12-27
Christmas 2021                                       | 2021-12-24 2021-12-27
on Halloween                                         | 2023-10-31 2023-11-01
Thanksgiving 2022                                    | 2022-11-24 2022-11-28
Easter                                               | 2023-04-07 2023-04-11
Valentine's Day                                      | 2023-02-14 2023-02-15
on the Fourth of July                                | 2023-07-04 2023-07-05
Mother's Day                                         | 2023-05-14 2023-05-15
Memorial Day                                         | 2023-05-29 2023-05-30
Chinese New Year                                     | 2023-01-21 2023-01-29
the Mid-Autumn Festival                              | 2023-09-29 2023-10-01
New Year's Eve                                       | 2022-12-31 2023-01-01
2023年5月我们做了什么                                | 2023-05-01 2023-06-01
二〇二三年五月                                       | 2023-05-01 2023-06-01
23年5月                                              | 2023-05-01 2023-06-01
2023年5月8日                                         | 2023-05-08 2023-05-09
5月8号我吃了什么                                     | 2023-05-08 2023-05-09
五月八号                                             | 2023-05-08 2023-05-09
十二月二十四日                                       | 2022-12-24 2022-12-25
十一月                                               | 2023-11-01 2023-12-01
5月份                                                | 2023-05-01 2023-06-01
5月初                                                | 2023-05-01 2023-05-11T08
2022年                                               | 2022-01-01 2023-01-01
去年                                                 | 2022-01-01 2023-01-01
前年                                                 | 2021-01-01 2022-01-01
今年                                                 | 2023-01-01 2024-01-01
去年3月                                              | 2022-03-01 2022-04-01
去年年底                                             | 2022-09-01T08 2023-01-01
今年上半年                                           | 2023-01-01 2023-07-02T12
去年夏天                                             | 2022-06-01 2022-09-01
2021年冬天                                           | 2021-12-01 2022-03-01
这个夏天                                             | 2023-06-01 2023-09-01
去年五一                                             | 2022-05-01 2022-05-06
国庆节去了哪里                                       | 2023-10-01 2023-10-08
去年十一                                             | 2022-10-01 2022-10-08
去年春节                                             | 2022-01-31 2022-02-08
今年过年                                             | 2023-01-21 2023-01-29
除夕                                                 | 2023-01-21 2023-01-22
元宵节                                               | 2023-02-05 2023-02-06
清明节                                               | 2023-04-04 2023-04-07
端午节                                               | 2023-06-22 2023-06-25
去年端午                                             | 2022-06-03 2022-06-06
七夕                                                 | 2023-08-22 2023-08-23
中秋                                                 | 2023-09-29 2023-10-01
2022年中秋节                                         | 2022-09-10 2022-09-12
重阳节                                               | 2023-10-23 2023-10-24
元旦                                                 | 2023-01-01 2023-01-02
情人节                                               | 2023-02-14 2023-02-15
双十一                                               | 2023-11-11 2023-11-12
圣诞节                                               | 2022-12-24 2022-12-27
暑假                                                 | 2023-07-01 2023-09-01
昨天                                                 | 2023-11-21 2023-11-22
前天                                                 | 2023-11-20 2023-11-21
大前天                                               | 2023-11-19 2023-11-20
今天早上                                             | 2023-11-22T04 2023-11-22T12
昨晚我说了什么                                       | 2023-11-21T17 2023-11-22T06
三天前                                               | 2023-11-19 2023-11-20
两周前                                               | 2023-11-06 2023-11-13
两个月前                                             | 2023-09-01 2023-10-01
半年前                                               | 2023-05-01 2023-06-01
三年前                                               | 2020-01-01 2021-01-01
前几天                                               | 2023-11-15 2023-11-23
过去三个月                                           | 2023-08-22 2023-11-23
我上周说了什么                                       | 2023-11-13 2023-11-20
上周末                                               | 2023-11-18 2023-11-20
上周三                                               | 2023-11-15 2023-11-16
上上周                                               | 2023-11-06 2023-11-13
上个礼拜天                                           | 2023-11-19 2023-11-20
这周                                                 | 2023-11-20 2023-11-27
周五                                                 | 2023-11-17 2023-11-18
我周末去了哪里                                       | 2023-11-18 2023-11-20
上个月                                               | 2023-10-01 2023-11-01
上上个月                                             | 2023-09-01 2023-10-01
上個月                                               | 2023-10-01 2023-11-01
上个月5号                                            | 2023-10-05 2023-10-06
3号                                                  | 2023-11-03 2023-11-04
30号                                                 | 2023-10-30 2023-10-31
5月到7月                                             | 2023-05-01 2023-08-01
国庆之前                                             | 1970-01-01 2023-10-01
去年以来                                             | 2022-01-01 2023-11-23
最近我在看什么书                                     | ~2023-11-08 2023-11-23
"""
"""A question, and the spans it names; "~" marks a vague one."""

NO_TIMES = """
may I ask a question | we march for peace | march on | wait a second | the second one | this may be wrong
it may 3 people | June said so | what did April buy | spring water | a hot spring | fall down | sun and sat
a Christmas tree | in which case | what are the plans for next week | next summer | next Monday | every Friday
on Sundays | each year | the coming weekend | tomorrow | room 2023 | 2023 dollars | 12:30 | 3.5 percent
version 1.2.3 | call 555-2023 | What is my name? | for the summer | on 31 June | 2023-13-45 | 2023-02-30 | 明年春节
下周五 | 下个月5号 | 每周一 | 每年中秋 | 一周一次 | 5号线怎么走 | 我住3号楼 | 五月天演唱会 | 晚上月亮很圆
路上周围没人 | 目前天气 | 以前天天跑步 | 圣诞树 | 五一路 | 三个月的孩子 | 你好 | 1.5元 | 周杰伦
"""


def describe_spans(spans: tuple[NamedTimeSpan, ...]) -> str:
    return ", ".join(f"{'~' if span.vague else ''}{moment(span.start)} {moment(span.end)}" for span in spans)


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d}" if not at.hour else f"{at:%Y-%m-%dT%H}"


@pytest.mark.parametrize("row", EXPRESSIONS.strip().splitlines(), ids=lambda row: row.split("|")[0].strip())
def test_an_expression_names_its_days(row: str) -> None:
    question, expected = row.split("|")
    assert describe_spans(find_times(question, NOW).spans) == expected.strip()


def test_the_table_is_large_enough_in_both_languages() -> None:
    chinese = [row for row in EXPRESSIONS.strip().splitlines() if not row.isascii()]
    assert len(chinese) >= 60
    assert len(EXPRESSIONS.strip().splitlines()) - len(chinese) >= 60


@pytest.mark.parametrize("question", [text.strip() for row in NO_TIMES.strip().splitlines() for text in row.split("|")])
def test_words_that_mean_something_else_or_lie_ahead_name_no_time(question: str) -> None:
    assert find_times(question, NOW).spans == ()


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What did I say last week?", ""),
        ("What happened between March and May 2023?", ""),
        ("What did Melanie paint in July?", "melanie paint"),
        ("我上周跟你说了什么？", ""),
        ("上周末我去哪里吃饭", "吃饭"),
        ("What is my name?", ""),
    ],
)
def test_what_is_asked_for_beside_the_time_is_told(question: str, rest: str) -> None:
    assert find_times(question, NOW).rest == rest


def test_days_are_those_of_the_asker() -> None:
    asked_at = NOW.astimezone(timezone(timedelta(hours=10)))
    (span,) = find_times("yesterday", asked_at).spans
    assert (span.start, span.end) == (datetime(2023, 11, 21, 14, tzinfo=UTC), datetime(2023, 11, 22, 14, tzinfo=UTC))


@given(st.text(max_size=300), st.datetimes(timezones=st.just(UTC)))
def test_any_text_at_any_time_gives_spans_that_have_begun(text: str, asked_at: datetime) -> None:
    assert all(span.start < span.end and span.start <= asked_at for span in find_times(text, asked_at).spans)


PIECES = (
    *"年月日号周上下前去今昨天末初底到一二三十五节",
    "2023",
    "31",
    "may",
    "last",
    "week",
    "since",
    "before",
    "ago",
    " ",
    "-",
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.datetimes(timezones=st.just(UTC)))
def test_any_jumble_of_time_words_gives_spans_that_have_begun(text: str, asked_at: datetime) -> None:
    assert all(span.start < span.end and span.start <= asked_at for span in find_times(text, asked_at).spans)


@pytest.mark.parametrize("piece", ["may ", "5月", "2023-05-08 ", "上", "1", "between march and ", "前天", "last "])
def test_a_long_text_costs_no_more_than_its_end(piece: str) -> None:
    assert len(find_times(piece * 100_000, NOW).spans) <= 2 * MOST_ANCHORS


@pytest.mark.parametrize("year", [1980, 2023, 2050])
def test_every_feast_falls_into_its_year_or_at_its_edge(year: int) -> None:
    for days_of in (*ENGLISH_HOLIDAYS.values(), *CHINESE_HOLIDAYS.values()):
        first, days = days_of(year)
        assert first.year == year
        assert days > 0


def test_feasts_of_the_moon_come_in_their_order_and_in_their_months() -> None:
    for days in LUNAR_DAYS.values():
        assert list(days) == sorted(days)
        assert [day.month in months for day, months in zip(days, SEASONS_OF_FEASTS, strict=True)] == [True] * 6


SEASONS_OF_FEASTS = ((1, 2), (4,), (5, 6), (7, 8), (9, 10), (10, 11))
