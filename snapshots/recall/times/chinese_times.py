"""Chinese words for times: 2023年5月, 5月8号, 去年中秋, 上周末, 三天前, 最近.

Numbers of lines, buildings and rooms (5号线, 3号楼) name no day, and 五月天 no month.
"""

import re
from datetime import date, timedelta

from snapshots.recall.times import holidays
from snapshots.recall.times.calendar_days import (
    DateSpan,
    ResolveAnchor,
    TimeAnchor,
    latest_begun_span,
    month_span,
    part_of_span,
    past_span,
    past_weekend_span,
    recent_span,
    season_span,
    span_ago,
    span_of_days,
    span_of_hours,
    week_span,
    weekday_span,
    year_span,
)

_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_BACK = {"今年": 0, "去年": 1, "前年": 2, "大前年": 3}
_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_DAYS = {"大前": 3, "前": 2, "昨": 1, "今": 0}
_HOURS = {
    "早": (4, 12),
    "晨": (4, 12),
    "上午": (6, 12),
    "中午": (11, 14),
    "下午": (12, 18),
    "晚": (17, 30),
    "夜": (18, 30),
}
_HOURS |= {"凌晨": (0, 6)}
_WEEKDAYS = "一二三四五六日天"
_SEASONS = "春夏秋冬"

_N = r"([0-9]{1,3}|[一二两三四五六七八九十]{1,3}|几|半)"
_YEAR = (
    r"(?:((?:19|20)[0-9]{2}年|[一二][〇零九][〇零一二三四五六七八九]{2}年|[0-9]{2}年(?=[0-9]{1,2}月)"
    r"|大前年|前年|去年|今年)的?)"
)
_MONTH = r"(?<![0-9一二三四五六七八九十两几半])(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?(?!天)"
_DAY = (
    r"([0-3]?[0-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
    r"[日号](?![游线楼门院店机位桌球馆厅车口站房室库台码])"
)
_WEEK = r"(?:周(?![围边游杰转口])|星期|礼拜)"
_LAST = r"(?<![晚早路身网街车海])(上{1,4}个?|[这本当]个?)"
_PART = r"(早上?|晨|上午|中午|下午|晚上?|夜里?|凌晨)?"


_HOLIDAYS = tuple(holidays.CHINESE_HOLIDAYS.values())
# First characters of a year or a holiday. Looked at first, a question of 80 characters takes 17 µs, not 113.
_FIRST = "0-9一二大前去今" + "".join(
    sorted({name[0] for names in holidays.CHINESE_HOLIDAYS for name in names.split("|")})
)


def parse_number(word: str) -> int | None:
    """Return the value of a number below 100 in digits or characters; None for 几."""
    if word.isdecimal():
        return int(word)
    if "十" in word:
        tens, ones = word.split("十", 1)
        return 10 * _DIGITS.get(tens[-1:], 1) + _DIGITS.get(ones[:1], 0)
    return _DIGITS.get(word)


def parse_year(word: str | None, today: date) -> int | None:
    """Return the year of 2023年, 二〇二三年, 23年 or 去年; None for no word."""
    if not word:
        return None
    if word in _BACK:
        return today.year - _BACK[word]
    digits = "".join(c if c.isdecimal() and c.isascii() else str(_DIGITS.get(c, "")) for c in word[:-1])
    return int(digits) + (2000 if len(digits) == 2 else 0)  # noqa: PLR2004 - 23年


def _count_units_back(word: str) -> int:
    return word.count("上")


def _resolve_day(m: re.Match[str], today: date) -> DateSpan | None:
    return latest_begun_span(
        lambda year: span_of_days(date(year, parse_number(m[2]) or 0, parse_number(m[3]) or 0)),
        today,
        parse_year(m[1], today),
    )


def _resolve_day_of_month(m: re.Match[str], today: date) -> DateSpan | None:
    """Resolve 上个月5号, and 5号: the latest one."""
    for back in range(4):
        then = span_ago(today, back + (_count_units_back(m[1]) if m[1] else 0), "month")[0]
        try:
            found = span_of_days(date(then.year, then.month, parse_number(m[2]) or 0))
        except ValueError:
            continue
        if found[0].date() <= today:
            return found
    return None


def _resolve_half_year(m: re.Match[str], today: date) -> DateSpan | None:
    first = 0.0 if m[2] == "上" else 0.5
    return latest_begun_span(
        lambda year: part_of_span(year_span(year), first, first + 0.5), today, parse_year(m[1], today)
    )


def _resolve_week(m: re.Match[str], today: date) -> DateSpan | None:
    monday = week_span(today, _count_units_back(m[1]))[0].date()
    if not m[2]:
        return span_of_days(monday, 7)
    if m[2] == "末":
        return span_of_days(monday + timedelta(5), 2)
    return span_of_days(monday + timedelta(_WEEKDAYS.index(m[2]) - (m[2] == "天")))


def _resolve_weekday(m: re.Match[str], today: date) -> DateSpan | None:
    if m[1] == "末":
        return past_weekend_span(today)
    return weekday_span(today, _WEEKDAYS.index(m[1]) - (m[1] == "天"))


def _resolve_near_day(m: re.Match[str], today: date) -> DateSpan | None:
    day, hour = today - timedelta(_DAYS[m[1]]), m[2]
    return span_of_hours(day, *_HOURS[hour if hour in _HOURS else hour[0]]) if hour else span_of_days(day)


def _resolve_ago(m: re.Match[str], today: date) -> DateSpan | None:
    unit = _UNITS[m[2] or m[3]]
    if m[1] == "半":
        return span_ago(today, 6, "month") if unit == "year" else span_ago(today, 15, "day")
    return span_ago(today, parse_number(m[1]), unit)


def _resolve_holiday(m: re.Match[str], today: date) -> DateSpan | None:
    days_of = _HOLIDAYS[next(i for i, name in enumerate(m.groups()[1:]) if name)]
    return latest_begun_span(lambda year: span_of_days(*days_of(year)), today, parse_year(m[1], today))


def _make_anchor(pattern: str, resolve: ResolveAnchor) -> TimeAnchor:
    return TimeAnchor(re.compile(pattern), resolve)


# In order: an earlier anchor takes its words from the later ones.
ANCHORS: tuple[TimeAnchor, ...] = (
    _make_anchor(rf"{_YEAR}?{_MONTH}的?{_DAY}", _resolve_day),
    _make_anchor(
        rf"(?=[{_FIRST}]){_YEAR}?(?:{'|'.join(f'({name})' for name in holidays.CHINESE_HOLIDAYS)})", _resolve_holiday
    ),
    _make_anchor(
        rf"{_YEAR}十一(?![月点号日个岁人年天周])",
        lambda m, today: latest_begun_span(
            lambda year: span_of_days(*holidays.NATIONAL_DAY(year)), today, parse_year(m[1], today)
        ),
    ),
    _make_anchor(
        rf"{_YEAR}?{_MONTH}",
        lambda m, today: latest_begun_span(
            lambda year: month_span(year, parse_number(m[2]) or 0), today, parse_year(m[1], today)
        ),
    ),
    _make_anchor(
        rf"{_YEAR}([春夏秋冬])[天季]?",
        lambda m, today: latest_begun_span(
            lambda year: season_span(year, _SEASONS.index(m[2])), today, parse_year(m[1], today)
        ),
    ),
    _make_anchor(
        r"(?:[这上]个?|刚过去的)([春夏秋冬])[天季]",
        lambda m, today: latest_begun_span(lambda year: season_span(year, _SEASONS.index(m[1])), today),
    ),
    _make_anchor(rf"{_YEAR}?([上下])半年", _resolve_half_year),
    _make_anchor(_YEAR, lambda m, today: year_span(parse_year(m[1], today) or 0)),
    _make_anchor(rf"{_LAST}月的?{_DAY}", _resolve_day_of_month),
    _make_anchor(rf"{_LAST}月(?![亮饼球光台])", lambda m, today: span_ago(today, _count_units_back(m[1]), "month")),
    _make_anchor(rf"{_LAST}{_WEEK}([一二三四五六日天末])?", _resolve_week),
    _make_anchor(
        rf"(?<![0-9下每上这本隔双几两个一二三四五六七八九十]){_WEEK}([一二三四五六日天末])(?![年岁刊报]|.{{0,5}}[总常都])",
        _resolve_weekday,
    ),
    _make_anchor(rf"(?<![以之目当面眼])(大前|前|昨|今)(?:[天日儿]的?|(?=[早晨晚夜])){_PART}", _resolve_near_day),
    _make_anchor(
        rf"(?:最近|过去|近)的?这?{_N}个?(天|周|星期|礼拜|月|年)",
        lambda m, t: past_span(t, parse_number(m[1]), _UNITS[m[2]]),
    ),
    _make_anchor(rf"(?<![0-9一二三四五六七八九十]){_N}(?:个?(天|周|星期|礼拜|年)|个(月))(?:之|以)?前", _resolve_ago),
    _make_anchor(r"前(?:几|两|些)天", lambda _, today: past_span(today, None, "day")),
    _make_anchor(r"前(?:一?阵子|段时间|段日子)", lambda _, today: past_span(today, 2, "month")),
    TimeAnchor(
        re.compile(r"最近|近来|近期|这几天|这两天|这阵子|这段时间"), lambda _, today: recent_span(today), vague=True
    ),
    _make_anchor(rf"()(?<![\d一二三四五六七八九十月第]){_DAY}", _resolve_day_of_month),
)
