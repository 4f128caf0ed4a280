"""Quantities as people write them, a number and a unit: "25度", "23 degrees", "$50"."""

import re
from dataclasses import dataclass
from typing import Any

from memory_platform.kernel.text import to_comparable
from profiles.provenance_and_verdict import describe_value

_UNITS = {
    "degree": ("度", "摄氏度", "°c", "°f", "°", "c", "f", "degree", "celsius", "degree celsius", "degree fahrenheit"),
    "yuan": ("元", "块", "块钱", "元钱", "圆", "rmb", "cny", "yuan", "¥", "人民币"),
    "dollar": ("美元", "美金", "刀", "$", "usd", "us$", "dollar", "buck"),
    "euro": ("欧元", "€", "eur", "euro"),
    "o'clock": ("点", "点钟", "o'clock", "am", "pm", "a.m.", "p.m."),
    "minute": ("分钟", "分", "min", "minute"),
    "hour": ("小时", "个小时", "钟头", "个钟头", "h", "hr", "hour"),
    "day": ("天", "日", "day"),
    "kilometre": ("公里", "千米", "km", "kilometre", "kilometer"),
    "mile": ("英里", "mile", "mi"),
    "percent": ("%", "percent"),
    "level": ("档", "挡", "级", "level"),
    "person": ("人", "个人", "位", "person", "people"),
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words}

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_POWERS = {"十": 10, "百": 100}
_NUMERALS = "".join([*_DIGITS, *_POWERS])
_NUMBER = rf"[0-9]+(?:[.,:][0-9]+)*|[{_NUMERALS}]+"
_QUANTITY = re.compile(rf"(?P<before>[^0-9\s{_NUMERALS}]{{0,5}})\s?(?P<number>{_NUMBER})\s?(?P<unit>\D{{0,20}})")
_FIRST_NUMBER = re.compile(_NUMBER)
_SCALE = re.compile(r"(?:°|(?<=\d)|\b)\s?(c|f)(?:elsius|ahrenheit)?\s*$", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SHORTEST_PLURAL = 3


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in digits, and its unit ("" for a plain number)."""

    number: str
    unit: str


def is_measured(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"value", "unit"}


def parse_quantity(value: Any) -> Quantity | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Quantity(f"{value:g}", "")
    if is_measured(value):
        value = describe_value(value)
    if not isinstance(value, str):
        return None
    found = _QUANTITY.fullmatch(to_comparable(value))
    if found is None:
        return None
    unit = (found["unit"] or found["before"]).strip()
    return Quantity(_write_in_digits(found["number"]), _UNIT_OF.get(_make_singular(unit), unit))


def have_same_unit(one: Any, other: Any) -> bool:
    """Return whether ``other`` can replace ``one``: same unit, one without unit, or both plain words."""
    first, second = parse_quantity(one), parse_quantity(other)
    if first is None or second is None:
        return first is second and isinstance(one, str) and isinstance(other, str)
    return first.unit == second.unit or "" in {first.unit, second.unit}


def complete_unit(old: Any, new: Any) -> Any:
    """Return ``new``, with the unit of ``old`` if ``new`` lacks a unit: 23 in place of "25 degrees" is "23 degrees". A
    value that is stored as number and unit keeps this form."""
    was, says = parse_quantity(old), parse_quantity(new)
    plain = says.number.replace(",", "") if says else ""
    if says and is_measured(old) and have_same_unit(old, new) and _PLAIN_NUMBER.fullmatch(plain):
        number = float(plain)
        return {
            "value": int(number) if number.is_integer() else number,
            "unit": _find_temperature_scale(new) or old["unit"],
        }
    if was is None or says is None or says.unit or not was.unit or not isinstance(old, str):
        return new
    return _FIRST_NUMBER.sub(says.number, old, count=1)


def _find_temperature_scale(value: Any) -> str:
    """Return the temperature scale in ``value``; "" if it names no scale, so that the stored scale is kept."""
    found = _SCALE.search(str(value))
    return f"°{found[1].upper()}" if found else ""


def _make_singular(unit: str) -> str:
    words = unit.split(" ")
    return " ".join(w[:-1] if w.isascii() and len(w) >= _SHORTEST_PLURAL and w.endswith("s") else w for w in words)


def _write_in_digits(number: str) -> str:
    if number.isascii():
        return number
    if not any(character in _POWERS for character in number):
        return "".join(str(_DIGITS[character]) for character in number)
    total = rest = 0
    for character in number:
        if character in _POWERS:
            total, rest = total + (rest or 1) * _POWERS[character], 0
        else:
            rest = _DIGITS[character]
    return str(total + rest)
