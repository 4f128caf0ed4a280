"""Find a plan's last day from its words and the day they were said: "on the 14th of May", 下周三.

Of two meanings the later one counts. Repeated plans have no last day, nor plans with a first day: "from the 1st of
November", 下月1号起, "I start at the mill on Monday".
"""

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from snapshots.recall.times.chinese_times import parse_number
from snapshots.recall.times.english_times import WEEKDAYS, parse_count, parse_month

_AGAIN = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|always|usually|whenever|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b"
    r"|每|经常|平时|总是|天天",
    re.IGNORECASE,
)
_BEFORE_A_START = re.compile(
    r"\b(?:from|since|starting|start|beginning|begin|as of|effective|after"
    r"|(?:not|\w*n't) (?:[\w' ]{1,24} )?(?:until|till|before)) "
    r"(?:the |on |in |late |early |mid )*\Z|(?:从|自|打|等)(?:明年|今年|下个?)?\Z"
)
_BEHIND_A_START = re.compile(r" ?(?:onwards?|on(?! (?:the|a|my|our))\b|起|开始|以后|之后|后(?!天)|才)")
# Words of something that begins on the day and goes on after it, so that the day is not its last.
_LASTS_FROM_THEN = re.compile(
    r"\b(?:starts?|starting|begins?|beginning|comes? into force|takes? effect|kicks? in|become|becomes|becoming"
    r"|joins?|joining|(?:move|moves|moving|relocate|relocates|relocating|switch|switches|switching|change|changes"
    r"|changing) (?:back |over )?(?:in|into|to|onto)|will be (?:called|living|working|based))\b"
    r"|the new \w+ (?:is|will be)\b|入职|生效|报到|开始|搬[到去进]|转[到学校]|换[到成去]"
    r"|改[到成](?:住|在|用|喝|吃|走)|起(?:住|在|用|改|换|搬|不)"
)
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b"
)
_YEAR = r"(?:,? ((?:19|20)\d\d))?\b"
_COUNT = r"(\d{1,2}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_N = r"(\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_WEEK = r"(?:周(?!年)|星期|礼拜)"
_NEAR = {"今": 0, "明": 1, "后": 2, "大后": 3}
_DAYS_ZH = "一二三四五六日天"
_WEEK_DAYS = 7


def parse_last_day(text: str, said: date) -> date | None:
    """Return the last day that a plan's words name, said on ``said``; None if they name no day."""
    form = text.lower()
    if _AGAIN.search(form) or _LASTS_FROM_THEN.search(form):
        return None
    return max(_find_days(form, said), default=None)


def _find_days(form: str, said: date) -> Iterator[date]:
    for pattern, resolve in _TIMES:
        for found in pattern.finditer(form):
            if _BEFORE_A_START.search(form[: found.start()]) or _BEHIND_A_START.match(form, found.end()):
                continue
            try:
                yield resolve(found, said)
            except (ValueError, OverflowError):
                continue


def _next_day_of_year(said: date, month: int, day: int, year: str | None = None) -> date:
    """Return a day of a month; without a year the next one from ``said`` on."""
    found = date(int(year) if year else said.year, month, day)
    return found if year or found >= said else found.replace(year=said.year + 1)


def _next_day_of_month(said: date, day: int, ahead: int = 0) -> date:
    """Return the next such day of a month; ``ahead``: that of so many months later."""
    first = said.replace(day=1) + relativedelta(months=ahead)
    found = first.replace(day=day)
    return found if ahead or found >= said else (first + relativedelta(months=1)).replace(day=day)


def _end_of_month(first: date) -> date:
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


def _next_weekday(said: date, weekday: int, *, is_next: bool = False) -> date:
    """Return the next such day of the week; ``is_next``: that of the next week."""
    if is_next:
        return said + timedelta(_WEEK_DAYS - said.weekday() + weekday)
    return said + timedelta((weekday - said.weekday() - 1) % _WEEK_DAYS + 1)


def _add_units(said: date, count: int, unit: str) -> date:
    return said + relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]


def _end_of_next_unit(said: date, unit: str) -> date:
    if unit == "month":
        return _end_of_month(said.replace(day=1) + relativedelta(months=1))
    return date(said.year + 1, 12, 31) if unit == "year" else _next_weekday(said, 6, is_next=True)


def _resolve_chinese_week(said: date, next_one: str, day: str | None) -> date:
    wanted = 6 if not day or day in "日天末" else _DAYS_ZH.index(day)
    if next_one:
        return _next_weekday(said, wanted, is_next=True) + timedelta(_WEEK_DAYS * (next_one.count("下") - 1))
    this = said - timedelta(said.weekday()) + timedelta(wanted)
    return this if this >= said else this + timedelta(_WEEK_DAYS)


def _end_of_named_month(said: date, month: int) -> date:
    return _end_of_month(_next_day_of_year(said.replace(day=1), month, 1))


_Resolve = Callable[[re.Match[str], date], date]
_TIMES: tuple[tuple[re.Pattern[str], _Resolve], ...] = tuple(
    (re.compile(pattern), resolve)
    for pattern, resolve in (
        (r"\b(20\d\d)-(\d\d)-(\d\d)\b", lambda m, _: date(int(m[1]), int(m[2]), int(m[3]))),
        (
            rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}{_YEAR}",
            lambda m, said: _next_day_of_year(said, parse_month(m[2]), int(m[1]), m[3]),
        ),
        (
            rf"\b{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]){_YEAR}",
            lambda m, said: _next_day_of_year(said, parse_month(m[1]), int(m[2]), m[3]),
        ),
        (
            rf"\bthe (\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:of )?{_MONTH}| floor| time| birthday| grade)",
            lambda m, said: _next_day_of_month(said, int(m[1])),
        ),
        (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", lambda _, said: said),
        (r"\btomorrow\b", lambda _, said: said + timedelta(1)),
        (r"\bday after tomorrow\b", lambda _, said: said + timedelta(2)),
        (
            rf"\b(next )?({'|'.join(WEEKDAYS)})\b",
            lambda m, said: _next_weekday(said, WEEKDAYS.index(m[2]), is_next=bool(m[1])),
        ),
        (r"\bthis (?:week|weekend)\b", lambda _, said: _resolve_chinese_week(said, "", None)),
        (r"\bnext (week|weekend|month|year)\b", lambda m, said: _end_of_next_unit(said, m[1])),
        (rf"\bin {_COUNT} (day|week|month)s?\b", lambda m, said: _add_units(said, parse_count(m[1]) or 0, m[2])),
        (
            rf"\b(?:in|next|this|by|early|mid|late) {_MONTH}(?! \d)",
            lambda m, said: _end_of_named_month(said, parse_month(m[1])),
        ),
        (
            rf"{_N}月{_N}[日号]?(?!月)",
            lambda m, said: _next_day_of_year(said, parse_number(m[1]) or 0, parse_number(m[2]) or 0),
        ),
        (
            rf"(?<![月\d一二三四五六七八九十])(下个?月)?{_N}[日号](?![线楼店院机])",
            lambda m, said: _next_day_of_month(said, parse_number(m[2]) or 0, int(bool(m[1]))),
        ),
        (
            rf"(?<!\d){_N}月(?:份|底|初)?(?![\d一二三四五六七八九十])",
            lambda m, said: _end_of_named_month(said, parse_number(m[1]) or 0),
        ),
        (r"(今|明|(?<!以)(?<!大)后|大后)(?:天|晚|早|儿)", lambda m, said: said + timedelta(_NEAR[m[1]])),
        (rf"(下*)个?{_WEEK}([一二三四五六日天末])", lambda m, said: _resolve_chinese_week(said, m[1], m[2])),
        (rf"(下+)个?{_WEEK}(?![一二三四五六日天末])", lambda m, said: _resolve_chinese_week(said, m[1], None)),
        (r"(?<!下)(?<!下个)[这本]?周末", lambda _, said: _resolve_chinese_week(said, "", None)),
        (r"下个?月(?!\d|[一二三四五六七八九十])", lambda _, said: _end_of_next_unit(said, "month")),
        (r"明年", lambda _, said: _end_of_next_unit(said, "year")),
        (
            rf"(?<![\d月]){_N}个?(天|周|星期|礼拜|月)(?:以|之)?后",
            lambda m, said: _add_units(said, parse_number(m[1]) or 0, {"天": "day", "月": "month"}.get(m[2], "week")),
        ),
    )
)
