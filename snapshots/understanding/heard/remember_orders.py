"""Find words that a user asks to have remembered: "Remember that I park on level 3", 记住我停在三层. Pure.

The words become a note whatever their grade. Instructions, secrets and questions are not remembered by being asked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.reading.instruction_classifier import is_instruction
from snapshots.understanding.reading.modality import find_quotations, is_question, is_role_play
from snapshots.understanding.reading.text_forms import matching_form

LONGEST_READ = 2_000
_RE = load_patterns(Path(__file__).with_name("remember_orders.toml"))
_LEAD_EN = (
    r"(?:(?:please|pls|ok|okay|oh|hey|also|and|so|but|well|now|just|by the way|btw|(?:can|could|would|will) you|"
    r"i(?:'d| would) like you to|i (?:want|need) you to|you should|make sure (?:you|to)|for next time)[\s,]{1,3}){0,4}"
)
_THAT_EN = (
    r"(?:[,:]\s{0,2}|\s+(?:that\b[,:]?\s{1,2}(?!time|day|night|one\b|song|place\b|guy|girl|man\b|thing)|"
    r"this[,:]\s{0,2}))"
)
_CUE_EN = re.compile(
    rf"{_LEAD_EN}(?:(?:remember|note|memori[sz]e|make a (?:mental )?note|take (?:a )?note|keep in mind|bear in mind|"
    rf"don't forget|"
    rf"do not forget|never forget|(?:save|store|record)(?: the fact)?|(?:add|put|save|write)(?: this| it)? "
    rf"(?:to|in|into) (?:your |the )?(?:memory|notes|records))(?:{_THAT_EN}|\s+(?=(?:i|i'm|i've|my|we|our)\s))"
    r"|(?:for (?:future reference|the record|your (?:memory|notes|records|information)))[,:]\s{0,2})(?P<said>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_LEAD_ZH = (
    r"(?:(?:请|麻烦|拜托|帮我|你|您|要|一定|务必|给我|好好|替我|能不能|可以|那|还有|对了|另外|哦|以后|顺便|先|"
    r"把这个|把这条)[,\s]{0,2}){0,5}"
)
_CUE_ZH = re.compile(
    rf"{_LEAD_ZH}(?:(?:记住|记一下|记下来?|记着|记好|记个备忘|牢记|存一下|记录一下|备忘一下)(?!了|吗|没|密码|"
    rf"我的话)[,::\s]{{0,3}}"
    r"|(?:记得|别忘了|不要忘了|别忘记|不要忘记)[,:\s]{0,2}(?=我(?:对|是|不|住|家|的|有|在|喜欢|讨厌|怕|爱|每|从|叫|"
    r"属|姓)))(?P<said>\S.*)",
    re.DOTALL,
)
_LOOSE = " .!?;。\n"
_LEAST_HAN, _LEAST_WORDS = 4, 2


@dataclass(frozen=True, slots=True)
class RememberOrder:
    """Words that ask to remember, ``start`` to ``end``, and the words to remember, ``said_start`` to ``said_end``.
    ``is_refused``: it must not become a note by being asked."""

    start: int
    end: int
    said_start: int
    said_end: int
    is_refused: bool = False


def find_remember_orders(text: str) -> list[RememberOrder]:
    """Return the orders to remember in a user's message, in order. Most messages cost one search."""
    if len(text) > LONGEST_READ or not _RE["may_order"].search(text):
        return []
    form = matching_form(text)
    if is_role_play(form):
        return []
    quoted = find_quotations(form)
    return [one for one in _find_orders(form) if not any(start <= one.start < end for start, end in quoted)]


def _find_orders(form: str) -> Iterator[RememberOrder]:
    before: tuple[int, int] | None = None
    for found in _RE["sentence"].finditer(form):
        start, end = found.span()
        start += len(found.group()) - len(found.group().lstrip())
        sentence = form[start:end]
        order = _parse_leading_order(sentence, start) or _parse_trailing_order(sentence, start, before)
        if order is not None:
            yield order
        before = (start, end)


def _parse_leading_order(sentence: str, start: int) -> RememberOrder | None:
    for cue in (_CUE_EN, _CUE_ZH):
        found = cue.match(sentence)
        if found is None or (cue is _CUE_EN and _RE["not_said_en"].match(found["said"])):
            continue
        said = found["said"].rstrip(_LOOSE)
        asks = sentence.rstrip().endswith(("?", "吗")) and not re.match(
            r"\W*(?:can|could|would|will) you\b", sentence, re.IGNORECASE
        )
        if (
            (len(_RE["han"].findall(said)) < _LEAST_HAN and len(said.split()) < _LEAST_WORDS)
            or asks
            or is_question(said, ends_asked=False, language="zh" if cue is _CUE_ZH else "en")
        ):
            continue
        first = start + found.start("said")
        return RememberOrder(start, first, first, first + len(said), is_refused=_must_refuse(sentence))
    return None


def _parse_trailing_order(sentence: str, start: int, before: tuple[int, int] | None) -> RememberOrder | None:
    """Return an order behind the words to remember: "I'm vegan, remember that"."""
    cut = max(sentence.rfind(","), sentence.rfind(","))
    if cut > 0 and _is_trailing_order(sentence[cut + 1 :]):
        return RememberOrder(start + cut, start + len(sentence), start, start + cut, is_refused=_must_refuse(sentence))
    # Alone, the words speak of the sentence before them.
    whole = _is_trailing_order(sentence) and not sentence.rstrip().endswith("?")
    if before is None or not whole:
        return None
    return RememberOrder(start, start + len(sentence), before[0], before[1])


def _is_trailing_order(words: str) -> bool:
    return bool(_RE["after_en"].fullmatch(words) or _RE["after_zh"].fullmatch(words.strip()))


def _must_refuse(sentence: str) -> bool:
    return bool(mask_sensitive(sentence)[1]) or is_instruction(sentence)
