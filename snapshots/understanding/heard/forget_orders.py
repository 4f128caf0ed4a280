"""Read the orders to forget in a message: which words give one, and whether it names what is to be forgotten. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from snapshots.extraction.observe import language_of, matching_form
from snapshots.understanding.heard import forget_patterns as said
from snapshots.understanding.heard.names import is_owned
from snapshots.understanding.reading.modality import find_quoted, is_played

# Longer messages are documents, not turns.
LONGEST_READ = 1_000
_MAY_ORDER = re.compile(
    r"forget|delete|erase|wipe|purge|remember|memori[sz]e|private|confidential|personal|record|between|secret|"
    r"\b(?:store|save|keep|retain|remove|drop|hear|pretend|note|log|hold on)\b|忘|删|清|抹|撤回|别|不要|不用|不必|"
    r"甭|勿|不许|不准|"
    r"当|隐私|秘密|私事|机密|保密|不想|不希望",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?;。\n]+(?:\.(?=\w)[^.!?;。\n]+)*([.!?;。\n]?)")
_SEGMENT = re.compile(r"\s*(?:,|\s-{1,3}\s|[–—]|:|…)\s*")
_FILLER = re.compile(
    r"\W*(?:(?:please|pls|thanks|thank you|thx|ok|okay|sorry|alright|cheers|right|will you|yeah|yes|谢谢|好吗|谢了|"
    r"拜托|抱歉|不好意思|"
    r"好的?|可以吗|行吗|嗯|吧)\W*){0,4}",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\W*(?:if|unless|when|whenever|suppose|in case|如果|要是|假如|万一|除非|等)", re.IGNORECASE)
_ASKS_EN = re.compile(r"\W*(?:\w+[\s,]+){0,3}?(?:can|could|would|will) you\b", re.IGNORECASE)
_ASKS_ZH = re.compile(r"能不能|可不可以|能|可以|好吗|好不好|行吗|行不行|麻烦")
_NOT_PLAYED = re.compile(r"pretend (?=(?:that )?i (?:never|didn't|did not) )", re.IGNORECASE)
_EVERYBODY = frozenset({"me", "myself", "us", "it all", "everything", "我", "我自己", "我们"})
_ARTICLE = re.compile(r"(?:the|my|our|that|this|a|an|any|his|her|their)\s+|我的?|那个?|这个?", re.IGNORECASE)
_END = re.compile(
    r"[\s,.!?]+$|[\s,]+(?:please|pls|thanks|thank you|now|again|ok|okay|from (?:your|the) memory)$|(?:的|吧|啊|了|"
    r"都|全部?)$",
    re.IGNORECASE,
)


class Meant(StrEnum):
    """What an order to forget speaks of."""

    SAID = "said"
    POINTED = "pointed"
    NAMED = "named"
    OWNED = "owned"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class ForgetOrder:
    """An order to forget: characters ``start`` to ``end`` of its message. ``name`` is what it names, "" for nothing."""

    start: int
    end: int
    meant: Meant
    name: str = ""


def read_forget_orders(text: str) -> list[ForgetOrder]:
    """Return the orders to forget that a user gives in a message, in order; most messages cost one search."""
    if len(text) > LONGEST_READ or not _MAY_ORDER.search(text):
        return []
    form = matching_form(text)
    if is_played(_NOT_PLAYED.sub("", form)):
        return []
    quoted = find_quoted(form)
    found = [order for start, end, mark in _sentences(form) for order in _orders_of(form, start, end, mark)]
    return [one for one in found if not any(first <= one.start < last for first, last in quoted)]


def _sentences(form: str) -> Iterator[tuple[int, int, str]]:
    for found in _SENTENCE.finditer(form):
        yield found.start(), found.end() - len(found.group(1)), found.group(1)


def _orders_of(form: str, start: int, end: int, mark: str) -> Iterator[ForgetOrder]:
    """Yield the orders of one sentence: the whole of it, else its parts between commas."""
    sentence = form[start:end]
    if _SUPPOSES.match(sentence) or (mark == "?" and not _may_be_asked(sentence)):
        return
    whole = _match(form, start, end)
    if whole:
        yield whole
        return
    parts = list(_parts(form, start, end))
    for place, (first, last) in enumerate(parts):
        order = _match(form, first, last)
        if order is None:
            continue
        rest = [form[a:b] for a, b in parts[place + 1 :] if not (_FILLER.fullmatch(form[a:b]) or _match(form, a, b))]
        # "Forget that, I'll take the bus" speaks of what was wanted, not of what was told.
        if order.meant is Meant.POINTED and rest:
            continue
        yield order


def _parts(form: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for cut in _SEGMENT.finditer(form, start, end):
        if cut.start() > at:
            yield at, cut.start()
        at = cut.end()
    if at < end:
        yield at, end


def _match(form: str, start: int, end: int) -> ForgetOrder | None:
    text = form[start:end]
    first = start + len(text) - len(text.lstrip(" ,\"'"))
    last = start + len(text.rstrip(" ,\"'"))
    words = form[first:last]
    for meant, patterns in _patterns(language_of(words)):
        for pattern in patterns:
            if found := pattern.fullmatch(words):
                return _order(first, last, meant, tidy_name(found["name"]) if "name" in pattern.groupindex else "")
    return None


def _order(start: int, end: int, meant: Meant, name: str) -> ForgetOrder | None:
    if meant is Meant.OWNED and not is_owned(name):
        return None
    if name.lower() in _EVERYBODY:
        return ForgetOrder(start, end, Meant.EVERYTHING)
    return ForgetOrder(start, end, meant, name)


@cache
def _patterns(language: str) -> tuple[tuple[Meant, tuple[re.Pattern[str], ...]], ...]:
    if language == "zh":
        return (
            (Meant.SAID, said.compile_zh(said.STRONG_ZH)),
            (Meant.EVERYTHING, said.compile_zh(said.ALL_ZH)),
            (Meant.POINTED, said.compile_zh(said.WEAK_ZH)),
            (Meant.OWNED, said.compile_zh(said.OWNED_ZH)),
            (Meant.NAMED, said.compile_zh(said.NAMED_ZH)),
        )
    return (
        (Meant.SAID, said.compile_en(said.STRONG_EN)),
        (Meant.NAMED, said.compile_en(said.NAMED_EN)),
        (Meant.EVERYTHING, said.compile_en(said.ALL_EN)),
        (Meant.OWNED, said.compile_en(said.OWNED_EN)),
        (Meant.POINTED, said.compile_en(said.WEAK_EN)),
    )


def tidy_name(name: str) -> str:
    """Return what an order names without articles and idle words around it."""
    before = ""
    while name != before:
        before = name
        name = _END.sub("", name).strip()
    found = _ARTICLE.match(name)
    rest = name[found.end() :] if found else name
    return rest if rest.strip() else name


def _may_be_asked(sentence: str) -> bool:
    """Return whether a question can be an order: "Can you forget what I just said?", not "Did you forget it?"."""
    return bool(_ASKS_EN.match(sentence) or _ASKS_ZH.search(sentence))
