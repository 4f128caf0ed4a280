"""The times that a question names, in English and Chinese: "last week", "in May 2023", "上周末", "去年中秋".

Each is found as an *anchor* (a day, a month, a holiday, ...). Words beside it narrow it ("early", "初"), move it ("the
weekend before"), open it ("since", "之前") or join it to the next ("from May to July"). A time without a year is the
latest that has begun. Future times ("next week", "明年") are left out: nothing was said then.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from memory_platform.kernel.text import collapse_spaces, index_form
from snapshots.recall.times import chinese_times, english_times
from snapshots.recall.times.calendar_days import (
    DAY,
    SATURDAY,
    DateSpan,
    TimeAnchor,
    part_of_span,
    span_of_days,
    weekday_span,
)

# A question stands at the end; the text pasted before it names times of its own.
READ_CHARACTERS = 2_000
# A question that names more times does not ask about any of them.
MOST_ANCHORS = 16
# The beginning of "before 2023".
FIRST = datetime(1970, 1, 1)
# Characters before an anchor that are read with it.
_BESIDE = 40

# Without any of these a question names no time in English.
_HINT = re.compile(
    r"\d|ago\b|back\b|day\b|days\b|yester|tonight|night\b|week|month|year|morning|evening|afternoon|recent|late|spring"
    r"|summer|autumn|fall|winter|christmas|xmas|easter|halloween|thanksgiving|festival|mid-aut|qing"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
# Without any of these a question names no time in Chinese.
_CHINESE_HINT = re.compile(
    r"[年月日号节天周末前近夏秋冬春早晚夜]|星期|礼拜|五一|六一|十一|除夕|三十|元旦|元宵|清明|端午|七夕|中秋|国庆|重阳|双1|圣诞|假"
)
_AHEAD = re.compile(
    r"(?:\b(?:next|every|each|coming|upcoming|following)(?: the)? "
    r"|[明后]年的?|每年的?|每逢?|下{1,4}个?(?:周|星期|礼拜|月)?的?)$"
)
_LAST = re.compile(r"\b(?:last|past|previous)(?: the)? $")
_BEFORE = re.compile(r"\b(?:before|prior to|until|till|up to)(?: the)? $")
_UNTIL = re.compile(r"\b(?:as of|by)(?: the)? $")
_SINCE = re.compile(r"\b(since|after)(?: the)? $")
_THEN_BEFORE = re.compile(r"的?(?:之前|以前|前(?![天后几两些]))")
_THEN_SINCE = re.compile(r"的?(之后|以后|以来|至今|后(?![来天面]))")
_AFTER = ("after", "之后", "以后", "后")
_WEEKDAYS = "|".join(english_times.WEEKDAYS)
_MOVED = re.compile(rf"\b(day|weekend|week|{_WEEKDAYS}) (before|after|following)(?: the)?(?: on)? $")
_ORDINALS = ("first", "second", "third", "fourth")
_NTH = re.compile(rf"\b({'|'.join(_ORDINALS)}|last) (weekend|{_WEEKDAYS}) (?:of|in) $")
_NARROWED = re.compile(
    r"\b(early|mid|late|beginning of|start of|middle of|end of|first half of|second half of)(?: the)?(?: in)?[ -]$"
)
_THEN_NARROWED = re.compile(r"(?:的|年)?(初|上旬|中旬|下旬|中期|底|末)")
# Words of a question that asks for nothing but a time: "what did I tell you last week", "上周我们聊了什么".
_SAYS_NOTHING = re.compile(
    r"\b(?:what|which|who|where|how|did|do|does|done|doing|was|were|is|are|have|has|had|i|you|we|me|my|us|our|they|he|she|it"
    r"|the|a|an|of|on|in|at|to|for|with|about|and|anything|something|everything|things?|all|any|say|said|saying|tell|told"
    r"|talk(?:ed|ing)?|mention(?:ed)?|discuss(?:ed)?|chat(?:ted)?|speak|spoke|share[ds]?|happen(?:ed|ing)?|go|going|went|up"
    r"|been|be|remember|recall|remind|early|mid|late|beginning|start|middle|end|half|first|second|third|fourth|last|before"
    r"|after|since|until|till|from|between|weekend|week|day)\b"
    r"|[我你您他她们咱的了过着吗呢吧啊呀说讲聊谈提到做干嘛什么啥事情哪些哪里去有没都和跟在是告诉记得发生初底末前后旬之以来]|[\W_]"
)
_SHARES = {
    **dict.fromkeys(("early", "beginning of", "start of", "初", "上旬"), (0, 1 / 3)),
    **dict.fromkeys(("late", "end of", "下旬", "底", "末"), (2 / 3, 1)),
    **dict.fromkeys(("mid", "middle of", "中期"), (1 / 4, 3 / 4)),
    "中旬": (1 / 3, 2 / 3),
    "first half of": (0, 1 / 2),
    "second half of": (1 / 2, 1),
}
_JOINT = re.compile(r" ?(to|until|till|through|-|–|~|到|至|and) ?(?:the )?")


@dataclass(frozen=True, slots=True)
class NamedTimeSpan:
    """From ``start`` up to, not including, ``end``; both aware, in the asker's time zone. ``vague``: "recently"."""

    start: datetime
    end: datetime
    vague: bool = False


@dataclass(frozen=True, slots=True)
class _FoundTime:
    """One anchor in a text with its meaning; ``on`` gives its meaning on another day."""

    start: int
    end: int
    span: DateSpan
    on: Callable[[date], DateSpan | None]
    vague: bool = False


@dataclass(frozen=True, slots=True)
class NamedTimes:
    """The times that a question names, in order, and ``rest``, its other words; "" for "what did I say"."""

    spans: tuple[NamedTimeSpan, ...] = ()
    rest: str = ""


NO_TIMES = NamedTimes()


def find_times(text: str, asked_at: datetime) -> NamedTimes:
    """Return the times that ``text`` names and that have begun by ``asked_at`` (aware), and its other words. Accepts
    any text, in linear time; reads only the end of a long one."""
    form = collapse_spaces(index_form(text[-READ_CHARACTERS:]))
    today, zone = asked_at.date(), asked_at.tzinfo
    found = _find_anchors(form, today)
    if not found:
        return NO_TIMES
    spans = dict.fromkeys(
        NamedTimeSpan(start.replace(tzinfo=zone), end.replace(tzinfo=zone), one.vague)
        for one in _join_ranges(found, form)
        for start, end in _apply_context(one, form, today)
    )
    begun = tuple(span for span in spans if span.start <= asked_at and span.start < span.end)
    return NamedTimes(begun, _strip_times(form, found))


def _strip_times(form: str, times: list[_FoundTime]) -> str:
    """Return ``form`` without its times and without words that ask for nothing of their own."""
    ends = [0, *(one.end for one in times)]
    starts = [*(one.start for one in times), len(form)]
    beside = " ".join(form[end:start] for end, start in zip(ends, starts, strict=True))
    return collapse_spaces(_SAYS_NOTHING.sub(" ", beside))


def _find_anchors(form: str, today: date) -> list[_FoundTime]:
    """Return the anchors in order of the text; no character belongs to two."""
    taken = bytearray(len(form))
    found = []
    for anchor in _choose_time_patterns(form):
        for match in anchor.pattern.finditer(form):
            start, end = match.span()
            if not any(taken[start:end]) and _has_context(form, anchor, match):
                taken[start:end] = b"\1" * (end - start)
                on = partial(_resolve_anchor, anchor, match)
                span = on(today)
                if span and not _AHEAD.search(_text_before(form, start)):
                    found.append(_FoundTime(start, end, span, on, anchor.vague))
    return sorted(found, key=lambda one: one.start)[:MOST_ANCHORS]


def _choose_time_patterns(form: str) -> tuple[TimeAnchor, ...]:
    """Return the anchors to look for: most questions name no time, and most are in one language."""
    english = english_times.ANCHORS if _HINT.search(form) else ()
    chinese = () if form.isascii() or not _CHINESE_HINT.search(form) else chinese_times.ANCHORS
    return english + chinese


def _has_context(form: str, anchor: TimeAnchor, match: re.Match[str]) -> bool:
    """Return whether an ambiguous anchor has words beside it that make it a time."""
    if anchor.guard is None or anchor.guard.search(_text_before(form, match.start())):
        return True
    return anchor.tail is not None and anchor.tail.match(form, match.end()) is not None


def _resolve_anchor(anchor: TimeAnchor, match: re.Match[str], today: date) -> DateSpan | None:
    try:
        return anchor.resolve(match, today)
    except (ValueError, OverflowError):  # 31 June; before the year 1
        return None


def _text_before(form: str, start: int) -> str:
    return form[max(0, start - _BESIDE) : start]


def _join_ranges(times: list[_FoundTime], form: str) -> Iterator[_FoundTime]:
    """Yield the anchors, two of "from ... to ..." as one; a first without a year is the latest before the second."""
    waiting: _FoundTime | None = None
    for one in times:
        if waiting and _is_range(form, waiting, one):
            first = waiting.span if waiting.span[0] < one.span[0] else waiting.on(one.span[0].date()) or one.span
            waiting = _FoundTime(waiting.start, one.end, (first[0], one.span[1]), one.on)
        else:
            if waiting:
                yield waiting
            waiting = one
    if waiting:
        yield waiting


def _is_range(form: str, one: _FoundTime, other: _FoundTime) -> bool:
    joint = _JOINT.fullmatch(form, one.end, other.start)
    return joint is not None and (joint[1] != "and" or _text_before(form, one.start).endswith("between "))


def _apply_context(one: _FoundTime, form: str, today: date) -> Iterator[DateSpan]:
    """Yield the meaning of an anchor together with the words beside it."""
    before, span = _text_before(form, one.start), one.span
    if _LAST.search(before) and span[1].date() > today:
        span = one.on(span[0].date() - DAY) or span
    if moved := _MOVED.search(before):
        yield _move_span(span, moved[1], back=moved[2] == "before")
        yield span
    elif chosen := _NTH.search(before):
        yield _pick_nth(span, chosen[1], chosen[2])
    elif narrowed := _NARROWED.search(before) or _THEN_NARROWED.match(form, one.end):
        yield part_of_span(span, *_SHARES[narrowed[1]])
    elif _BEFORE.search(before) or _THEN_BEFORE.match(form, one.end):
        yield FIRST, span[0]
    elif _UNTIL.search(before):
        yield FIRST, span[1]
    elif opened := _SINCE.search(before) or _THEN_SINCE.match(form, one.end):
        yield span[1] if opened[1] in _AFTER else span[0], span_of_days(today)[1]
    else:
        yield span


def _move_span(span: DateSpan, unit: str, *, back: bool) -> DateSpan:
    """Return the day, week, weekend or day of the week next to ``span``."""
    if unit in ("day", "week"):
        length = DAY if unit == "day" else 7 * DAY
        return (span[0] - length, span[0]) if back else (span[1], span[1] + length)
    number, count = _parse_day_unit(unit)
    latest = span[0].date() - DAY if back else span[1].date() + 6 * DAY
    return span_of_days(weekday_span(latest, number)[0].date(), count)


def _pick_nth(span: DateSpan, which: str, unit: str) -> DateSpan:
    number, count = _parse_day_unit(unit)
    if which == "last":
        return span_of_days(weekday_span(span[1].date() - DAY, number)[0].date(), count)
    first = weekday_span(span[0].date() + 6 * DAY, number)[0].date()
    return span_of_days(first + 7 * _ORDINALS.index(which) * DAY, count)


def _parse_day_unit(unit: str) -> tuple[int, int]:
    """Return on which day of the week a unit begins, and how many days it has."""
    return (SATURDAY, 2) if unit == "weekend" else (english_times.WEEKDAYS.index(unit), 1)
