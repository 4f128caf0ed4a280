"""Ages: from what a person says to years, and from years to an age range."""

_UNIT_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS_EN = _UNIT_WORDS.split()
_TENS_EN = {word: 10 * n for n, word in enumerate(_TENS_WORDS.split(), start=2)}
_DIGITS_ZH = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_OLDEST = 120
RANGES = ((0, 12), (13, 17), (18, 24), (25, 34), (35, 44), (45, 54), (55, 64))
"""The brackets of population surveys (years, both ends included); above the last one: ``65+``."""


def years_of(text: str) -> int | None:
    """Return the age in years that ``text`` names ("34", "thirty-four", "三十五岁"), None when it names none."""
    word = text.strip().lower().rstrip("岁")
    years = int(word) if word.isdecimal() and word.isascii() else _spelled_en(word)
    years = _spelled_zh(word) if years is None else years
    return years if years is not None and 0 < years <= _OLDEST else None


def age_range_of(years: int) -> str:
    """Return the bracket of an age: "0-12", "13-17", "18-24", "25-34", ... "65+"."""
    return next((f"{low}-{high}" for low, high in RANGES if low <= years <= high), "65+")


def _spelled_en(word: str) -> int | None:
    if word in _UNITS_EN:
        return _UNITS_EN.index(word)
    tens, _, unit = word.partition("-")
    if tens not in _TENS_EN or (unit and unit not in _UNITS_EN[1:10]):
        return None
    return _TENS_EN[tens] + (_UNITS_EN.index(unit) if unit else 0)


def _spelled_zh(word: str) -> int | None:
    tens, ten, unit = word.partition("十")
    if not ten:
        return _DIGITS_ZH.get(word)
    if any(part and part not in _DIGITS_ZH for part in (tens, unit)):
        return None
    return 10 * _DIGITS_ZH.get(tens, 1) + _DIGITS_ZH.get(unit, 0)
