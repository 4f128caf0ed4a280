"""Find card numbers, identity numbers and secrets by form and checksum. They are masked and never learned.

Text is read as a person sees it: full-width and Chinese digits, all dashes and spaces, nothing invisible. Sources: Luhn
check, ISO/IEC 7812-1 annex B; Chinese resident identity number, GB 11643-1999 (ISO 7064 MOD 11-2); IBAN, ISO 13616 (ISO
7064 MOD 97-10); the length of a telephone number, ITU-T E.164.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from stdnum import luhn
from stdnum.iso7064 import mod_11_2, mod_97_10

from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import is_invisible, remove_invisible

_RE = load_patterns(Path(__file__).with_name("secret_forms.toml"))
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_QUOTES = "\u2018\u2019\u201c\u201d\u300c\u300d\u300e\u300f\u300a\u300b"
# The digits of all scripts, also those in circles and superscript.
_DIGITS = {
    code: f"{digit}" for code in range(0x80, 0x1FBFA) if (digit := unicodedata.digit(chr(code), None)) is not None
}
# One character is replaced by exactly one, so that positions stay.
LOOKALIKES = (
    _DIGITS
    | {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _SPACES), " ")
    | dict.fromkeys(map(ord, _QUOTES), '"')
    | {0x3002: ".", 0x3001: ","}
)
NUMERALS = str.maketrans("零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖", "001234567891123456789")
_NUMERAL = "[零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖]"
MANY_NUMERALS = re.compile(rf"{_NUMERAL}(?:\W{{0,2}}{_NUMERAL}){{2}}")
DIGIT_WORDS = {
    **{"zero": "0", "oh": "0", "o": "0", "one": "1", "two": "2", "three": "3", "four": "4"},
    **{"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"},
}
_TIMES = {"double": 2, "triple": 3}
_DIGIT_WORD = rf"(?:(?:{'|'.join(_TIMES)}) )?(?:{'|'.join(DIGIT_WORDS)})"
SPELLED_DIGITS = re.compile(rf"\b{_DIGIT_WORD}(?:[ ,-]{{1,3}}{_DIGIT_WORD}){{4,18}}\b", re.IGNORECASE)
SPELLED_DIGITS_HINT = re.compile(rf"\b{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}[ ,-]{{1,3}}{_DIGIT_WORD}\b")
# The file names secrets and the ways to give them: "my password is ...", "... is my pin", 密码是 ...
NAMED_SECRETS = tuple(load_patterns(Path(__file__).with_name("secret_patterns.toml")).values())
# In small letters, a text with fewer digits is ordinary words. No country's account number has fewer (ISO 13616).
_IBAN_DIGITS = 10
# How many characters beside a named secret are searched for other values of it.
_BESIDE = 80
CARD_LENGTHS = range(13, 20)
# Source: ITU-T E.164. A longer number is not a telephone number.
PHONE_DIGITS_MOST = 15
_NUMBER = re.compile(r"[\d\s.-]+")
_TELEPHONE = re.compile(r"[+()\d\s./-]*")


def find_sensitive(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of sensitive data in ``text``, in order, not overlapping."""
    if text.isascii():
        return _join_overlapping(_find_spans(text))
    seen = text.translate(LOOKALIKES)
    shown = remove_invisible(seen)
    found = list(_find_spans(shown))
    if MANY_NUMERALS.search(shown):
        found += _find_spans(shown.translate(NUMERALS))
    if shown != seen:
        places = [place for place, one in enumerate(seen) if not is_invisible(one)]
        found = [(places[start], places[end - 1] + 1, kind) for start, end, kind in found]
    return _join_overlapping(found)


def _find_spans(seen: str) -> Iterator[tuple[int, int, str]]:
    lowered = seen.lower()
    if not (_RE["long"].search(seen) or SPELLED_DIGITS_HINT.search(lowered) or _RE["secret_hint"].search(lowered)):
        return
    yield from _find_numbers(seen)
    for m in _RE["token"].finditer(seen):
        yield *m.span("secret" if m["secret"] else 0), "secret"
    for named in NAMED_SECRETS:
        for m in named.finditer(seen):
            yield *m.span("secret"), "secret"
            yield from _find_other_values(seen, *m.span())


def _find_other_values(seen: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    before, after = _RE["sentence_end"].split(seen[max(0, start - _BESIDE) : start])[-1], seen[end : end + _BESIDE]
    stop = _RE["sentence_end"].search(after)
    for other in _RE["other_value"].finditer(seen, start - len(before), end + (stop.start() if stop else len(after))):
        yield *other.span("secret"), "secret"


def _find_numbers(seen: str) -> Iterator[tuple[int, int, str]]:
    for m in _RE["card"].finditer(seen):
        if _is_card_number(m.group()):
            yield m.start(), m.end(), "card number"
    for m in SPELLED_DIGITS.finditer(seen):
        if _is_card_number(parse_spelled_digits(m.group())):
            yield m.start(), m.end(), "card number"
    for m in _RE["chinese_id"].finditer(seen):
        if mod_11_2.is_valid(re.sub(r"[ ./-]", "", m.group()).upper()):
            yield m.start(), m.end(), "identity number"
    for m in _RE["ssn"].finditer(seen):
        yield m.start(), m.end(), "identity number"
    for m in _RE["iban"].finditer(seen):
        if _is_iban(m.group()):
            yield m.start(), m.end(), "bank number"


def mask_sensitive(text: str) -> tuple[str, int]:
    """Return ``text`` with sensitive data replaced by ``[masked KIND]``, and the number of replacements."""
    spans = find_sensitive(text)
    for start, end, kind in reversed(spans):
        text = f"{text[:start]}[masked {kind}]{text[end:]}"
    return text, len(spans)


def is_sensitive(text: str) -> bool:
    return bool(find_sensitive(text))


def is_sensitive_named(name: str, text: str) -> bool:
    """Return whether ``text`` must not be learned, alone or under ``name``: x7k2 under "wifi_password"."""
    said = f"{name.replace('_', ' ')}: {text}"
    return is_sensitive(text) or (is_sensitive(said) and not is_sensitive(name))


def is_sensitive_list(name: str, values: Iterable[object]) -> bool:
    """Return whether the numbers of a list are sensitive one after the other: a card number in four parts."""
    said = [str(one) for one in values if isinstance(one, str | int | float) and not isinstance(one, bool)]
    numbers = [one for one in said if _NUMBER.fullmatch(one)]
    return len(numbers) > 1 and is_sensitive_named(name, ", ".join(numbers))


def is_telephone(text: str) -> bool:
    """Return whether ``text`` can be a telephone number, whose digits may pass a card's checksum by chance."""
    return _TELEPHONE.fullmatch(text) is not None and sum(map(str.isdigit, text)) <= PHONE_DIGITS_MOST


def _is_card_number(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return len(digits) in CARD_LENGTHS and len(set(digits)) > 1 and luhn.is_valid(digits)


def _is_iban(text: str) -> bool:
    if not text.isupper() and sum(map(str.isdigit, text)) < _IBAN_DIGITS:
        return False
    compact = re.sub(r"[ ._-]", "", text)
    return mod_97_10.is_valid(compact[4:] + compact[:4])


def _join_overlapping(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]), kept[-1][2])
        else:
            kept.append((start, end, kind))
    return kept


def parse_spelled_digits(text: str) -> str:
    """Return the digits that English words spell: "double four, one" is 441."""
    told = re.finditer(rf"(?:({'|'.join(_TIMES)}) )?({'|'.join(DIGIT_WORDS)})\b", text.lower())
    return "".join(DIGIT_WORDS[one[2]] * _TIMES.get(one[1], 1) for one in told)
