"""Times, dates, amounts and other figures in a text: two sentences may agree in them or differ."""

import re
from collections.abc import Mapping
from functools import lru_cache

from snapshots.understanding.reading.text_forms import matching_form

NUMBER = "number"
_FIGURE_PATTERNS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "clock": r"\d{1,2}[:.]\d{2}|\d{1,2} ?(?:am|pm|o'clock)|(?:half past|quarter (?:past|to)) \w+|noon|midnight"
        r"|[\d一二三四五六七八九十两]{1,3}点(?:半|一刻|三刻|\d{1,2}分?)?",
        "weekday": r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天末]",
        "date": r"\d{1,2}(?:st|nd|rd|th)\b|(?:january|february|march|april|may|june|july|august|september|october"
        r"|november|december)\b|\d{1,2}月(?:\d{1,2}[号日])?|\d{1,2}[号日]",
        "money": r"[$€£¥]\s?\d[\d,.]*|\d[\d,.]* ?(?:euros?|dollars?|pounds|bucks|块|元|万)",
        "dose": r"\d+ ?(?:mg|毫克|micrograms|片|粒|ml|毫升)",
        "mail": r"[\w.+-]{1,64}@[\w.-]{1,64}",
        "phone": r"\+?\d[\d -]{6,20}\d|尾号\D{0,2}\d{3,4}",
        NUMBER: r"\d+(?:[.,]\d+)?",
    }.items()
}


@lru_cache(maxsize=4_096)
def find_figures(text: str) -> Mapping[str, frozenset[str]]:
    form = matching_form(text).lower()
    return {name: frozenset(pattern.findall(form)) for name, pattern in _FIGURE_PATTERNS.items()}
