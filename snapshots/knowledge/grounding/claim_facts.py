"""The facts of a sentence that a reader checks first: numbers, names, denials, words that have an opposite. Pure."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.keyword_terms import stem_words
from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import HAN, index_form, normalise

_WORDS = Path(__file__).with_name("claim_words.toml")
_PATTERNS = load_patterns(_WORDS)

# A number that does not stand inside a word, as that of "F3" does; "4GiB" and "32-bit" have one.
_DIGITS = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*")
_PLAIN = re.compile(r"\d{1,30}(?:\.\d{1,30})?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}
_ENGLISH = {word: value for value, word in enumerate(_UP_TO_TWENTY.split())} | _TENS
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_NUMBER_WORDS = re.compile(
    rf"(?:(?<!\d)(\d+(?:\.\d+)?)|\b({'|'.join(_ENGLISH)}))[ -]({'|'.join(_SCALES)})\b|\b({'|'.join(_ENGLISH)})\b"
)
_HAN_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000}
_HAN_GROUPS = {"万": 10_000, "亿": 100_000_000}
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万亿]+(?![分些样般直起切旦同定])")
# Alone they are parts of words or mean "some": one, ten thousand.
_HAN_VAGUE = frozenset("一万千百亿零〇")
# More characters than any number has that is spoken, and few enough that their value fits a float.
_HAN_LONGEST = 30

# It begins where no such character stands before: a long row of digits is looked through once.
_TOKEN = re.compile(r"(?<![A-Za-z0-9_%/~.$@#+:*\\-])[A-Za-z0-9_%/~.$@#+:*\\-]*[A-Za-z][A-Za-z0-9_%/~.$@#+:*()\\-]*")
_EDGES = ".,:;-()*"
# Marks before a word that belong to it: ".deb", "-r", "--info".
_LEADING = re.compile(r"[.](?=[a-z])|--?(?=[A-Za-z])")
_CALL = re.compile(r"\(\)[.,:;]*$")
_BEGINS = re.compile(r"(?:^|[.!?:|]\s)[\s\"'“(]*$")
# A token of code, or a name: a capital, digit or mark inside, or a capital that begins no sentence.
_LIKE_CODE = re.compile(r"^[^A-Za-z]*[A-Za-z].*[A-Z]|[0-9_/%~$@#+\\]|\w[.:]\w|\(\)|^[.-]|[A-Z]{2}")
# What stands between quotation marks is a name, if it is short.
_QUOTED = re.compile(r"[“「『《]([^“”「」『』《》]{2,20})[”」』》]")
_WORD = re.compile(r"[a-z]{2,40}")
# "unsigned", "non-empty", "inactive" and 非空: the word behind is denied. "in-" stands before too many other words.
_UNDONE = re.compile(rf"\b(?:un|non-?)([a-z]{{4,40}})|\b(?:in|im|ir|dis)([a-z]{{5,40}})|非 ?([a-z]{{2,40}}|[{HAN}])")
_HAN_SIGN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """``numbers`` by value and ``names`` in lower case, each with its wording; how many times something is denied."""

    numbers: Mapping[str, str]
    names: Mapping[str, str]
    denials: int


@lru_cache(maxsize=4_096)
def find_facts(sentence: str) -> ClaimFacts:
    """Return the facts of a sentence, which is at most some thousand characters long. Linear in them."""
    text = normalise(sentence)
    form = index_form(text)
    plain = _PATTERNS["neutral"].sub(" ", _PATTERNS["instead"].sub(" ", form))
    return ClaimFacts(
        dict(_find_numbers(form)),
        dict(_find_names(text)),
        len(_PATTERNS["negations"].findall(plain)),
    )


def count_undone(text: str, other: str) -> int:
    """Return how many words ``text`` denies with "un-", "non-", "in-" or 非, and has nowhere plainly, while ``other``
    has."""
    undone = {next(filter(None, match.groups())) for match in _UNDONE.finditer(index_form(text))}
    plain = _list_plain_words(other) - _list_plain_words(text)
    return sum(one in plain for one in stem_words(sorted(undone)))


def _list_plain_words(text: str) -> frozenset[str]:
    form = _UNDONE.sub(" ", index_form(text))
    return frozenset([*stem_words(_WORD.findall(form)), *_HAN_SIGN.findall(form)])


def find_opposites(claim: str, evidence: str) -> list[tuple[str, str]]:
    """Return the words of ``claim`` whose opposite, and not they themselves, stands in ``evidence``, each with that."""
    claim, evidence = (_PATTERNS["instead"].sub(" ", index_form(text)) for text in (claim, evidence))
    found = []
    of_claim, of_evidence = _find_sides(claim), _find_sides(evidence)
    for (pair, side), word in of_claim.items():
        if (pair, side) not in of_evidence and (pair, 1 - side) in of_evidence and (pair, 1 - side) not in of_claim:
            found.append((word, of_evidence[pair, 1 - side]))
    return found


def _find_numbers(form: str) -> Iterator[tuple[str, str]]:
    """Yield value and wording of each number but a bare "one", which counts nothing most of the time."""
    rest = list(form)
    for match in _NUMBER_WORDS.finditer(form):
        digits, tens, scale, plain = match.groups()
        value = (float(digits or _ENGLISH[tens]) * _SCALES[scale]) if scale else float(_ENGLISH[plain])
        rest[match.start() : match.end()] = " " * len(match[0])
        if scale or value > 1:
            yield _write_value(value), match[0]
    left = "".join(rest)
    for match in _DIGITS.finditer(left):
        plain_digits = match[0].replace(",", "") if _THOUSANDS.fullmatch(match[0]) else match[0]
        yield (_write_value(float(plain_digits)) if _PLAIN.fullmatch(plain_digits) else plain_digits), match[0]
    for match in _HAN_NUMBER.finditer(left):
        if not _HAN_VAGUE.issuperset(match[0]):
            yield _read_han_number(match[0]), match[0]


def _write_value(value: float) -> str:
    return f"{value:.12g}"


def _read_han_number(word: str) -> str:
    """Return the value of a number in Chinese characters; a row of them too long for any number stands for itself."""
    if len(word) > _HAN_LONGEST:
        return word
    total = section = digit = 0
    for character in word:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_GROUPS:
            total, section, digit = (total + section + digit) * _HAN_GROUPS[character], 0, 0
        else:
            section, digit = section + (digit or 1) * _HAN_SCALES[character], 0
    return _write_value(float(total + section + digit))


def _find_names(text: str) -> Iterator[tuple[str, str]]:
    is_unspaced = bool(_HAN_SIGN.search(text))
    if is_unspaced:
        yield from ((index_form(quoted), quoted) for quoted in _QUOTED.findall(text))
    for match in _TOKEN.finditer(text):
        token = match[0].rstrip(_EDGES) + "()" * bool(_CALL.search(match[0]))
        token = token if _LEADING.match(token) else token.lstrip(_EDGES)
        begins = bool(_BEGINS.search(text, max(0, match.start() - 6), match.start()))
        is_name = bool(_LIKE_CODE.search(token)) or (token[:1].isupper() and not begins and len(token) > 1)
        if (is_name or (is_unspaced and len(token) > 1)) and not token.isdigit():
            yield token.lower(), token


@lru_cache(maxsize=1)
def _load_opposites() -> tuple[re.Pattern[str], Mapping[str, tuple[tuple[int, int], ...]]]:
    pairs = tomllib.loads(_WORDS.read_text(encoding="utf-8"))["opposites"]["pairs"]
    sides: dict[str, tuple[tuple[int, int], ...]] = {}
    for pair, both in enumerate(pairs):
        for side, words in enumerate(both):
            for word in words.split("|"):
                sides[word] = (*sides.get(word, ()), (pair, side))
    longest = sorted(sides, key=len, reverse=True)
    latin = "|".join(word for word in longest if word.isascii())
    others = "|".join(word for word in longest if not word.isascii())
    return re.compile(rf"\b(?:{latin})\b|{others}"), sides


def _find_sides(form: str) -> Mapping[tuple[int, int], str]:
    pattern, sides = _load_opposites()
    return {place: match[0] for match in pattern.finditer(form) for place in sides[match[0]]}
