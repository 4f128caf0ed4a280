"""Read the orders to forget in a message: which words give one, and whether it names what is to be forgotten. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise

from snapshots.understanding.heard import forget_patterns as said
from snapshots.understanding.heard.names import is_owned
from snapshots.understanding.heard.order_reader import least_share, may_order, names_of, order_share, runs_of
from snapshots.understanding.reading.forms import language_of, matching_form
from snapshots.understanding.reading.modality import find_quoted, is_played

# Longer messages are documents, not turns.
LONGEST_READ = 1_000
_SENTENCE = re.compile(r"[^.!?;。\n]+(?:\.(?=\w)[^.!?;。\n]+)*([.!?;。\n]?)")
_SEGMENT = re.compile(r"\s*(?:,|\s-{1,3}\s|[–—]|:|…)\s*|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
_FILLER = re.compile(
    r"\W*(?:(?:please|pls|thanks|thank you|thx|ok|okay|sorry|alright|cheers|right|will you|yeah|yes|谢谢|好吗|谢了|"
    r"拜托|抱歉|不好意思|"
    r"好的?|可以吗|行吗|嗯|吧)\W*){0,4}",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\W*(?:if|unless|when|whenever|suppose|in case|如果|要是|假如|万一|除非|等)", re.IGNORECASE)
_ASKS_EN = re.compile(r"\W*(?:\w+[\s,]+){0,3}?(?:can|could|would|will) you\b", re.IGNORECASE)
_ASKS_ZH = re.compile(r"能不能|可不可以|能|可以|好吗|好不好|行吗|行不行|麻烦")
_NOT_PLAYED = re.compile(
    r"pretend (?=(?:that )?i (?:never|didn't|did not|(?:just )?(?:said|told you|mentioned) nothing))", re.IGNORECASE
)
_EVERYBODY = frozenset({"me", "myself", "us", "it all", "everything", "我", "我自己", "我们"})
_ARTICLE = re.compile(r"(?:the|my|our|that|this|a|an|any|his|her|their)\s+|我的?|那个?|这个?", re.IGNORECASE)
_END = re.compile(
    r"(?:,| please\b| pls\b).*$|"
    r"[\s,.!?]+$|[\s,]+(?:please|pls|thanks|thank you|now|again|ok|okay|from (?:your|the) memory)$|(?:的|吧|啊|了|"
    r"都|全部?)$",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:i(?:'ve| have| had)?(?: just| ever| only)? (?:said|told|mentioned|wrote|shared|brought up|gave|"
    r"pasted|typed|sent)|"
    r"(?:told|gave) you|"
    r"(?:thing|bit|stuff|part|story|mess|business) (?:about|with|on|of|from|between)|about what)\b"
    r"|(?:刚才|刚刚|刚|之前|前面|上次|上回|昨天|我)(?:跟你|和你|给你)?(?:说|讲|提|聊|发|吐槽)"
    r"|那(?:段|件|个)?(?:事|情况)|那段$|(?:刚才|刚刚|之前|上次|前面).{1,8}那[段件个条句]|说过|提过|讲过",
    re.IGNORECASE,
)
_FORGETS = re.compile(r"forget|忘|当.{0,3}我.{0,2}没", re.IGNORECASE)
_NO_ORDER = re.compile(
    r"\W*i (?:don't|do not|didn't|can't|cannot|could|never) (?:quite )?(?:remember|recall|forget)"
    r"|\W*(?:you|你|您)(?:又|都|怎么|是不是)?(?: forgot|忘了我(?!.*吧))",
    re.I,
)
_ENDS, _ABOUT = re.compile(r"[.!?;。\n]"), re.compile(r"\babout\b|关于|的事", re.IGNORECASE)
_ON_TEXT = re.compile(
    r"\b(?:sentence|paragraph|row|column|line|bullet|slide|comma|title|heading|page|clause|verse|item|duplicates?)s?\b"
    r"|第.{1,3}[段句行列页项条章]|标点|标题|逗号",
    re.IGNORECASE,
)
_PARTS_BEFORE = 2
"""How far before an order the thing is named that it speaks of."""


class Meant(StrEnum):
    """What an order to forget speaks of."""

    SAID = "said"
    POINTED = "pointed"
    NAMED = "named"
    OWNED = "owned"
    EVERYTHING = "everything"
    READ = "read"
    """Heard by the reader, in words that no pattern knows."""


_EXACT = (Meant.NAMED, Meant.OWNED, Meant.EVERYTHING)
"""What patterns name is named by them; what they only see to point may be named before it."""


@dataclass(frozen=True, slots=True)
class ForgetOrder:
    """An order to forget: characters ``start`` to ``end`` of its message. ``name`` is what it names, "" for nothing.

    Of what the reader hears, ``names`` are the things named; ``refers``: it speaks of what was said before.
    """

    start: int
    end: int
    meant: Meant
    name: str = ""
    names: tuple[str, ...] = ()
    refers: bool = False


@lru_cache(maxsize=1_024)  # a worker asks for each of a few hundred messages before it asks for the first again
def read_forget_orders(text: str, *, acknowledged: bool = False) -> tuple[ForgetOrder, ...]:
    """Return the orders to forget that a user gives in a message, in order; most messages cost one search.

    Where the assistant's answer has ``acknowledged`` one, the reader may be less sure of it. A message is asked about
    several times while it is accepted, and while it is learned from.
    """
    if len(text) > LONGEST_READ:
        return ()
    form = matching_form(text)
    if "<user_memory" in text or not may_order(form) or is_played(_NOT_PLAYED.sub("", form)):
        return ()
    quoted = find_quoted(form)
    known = [order for start, end, mark in _sentences(form) for order in _orders_of(form, start, end, mark)]
    heard = _without_overlaps(
        [*(_with_names(form, one) for one in known), *_heard_by_reader(form, known, acknowledged=acknowledged)]
    )
    found = _without_repeats(form, heard)
    return tuple(one for one in found if not any(first <= one.start < last for first, last in quoted))


def refers_back(text: str) -> bool:
    """Return whether words speak of something that was said before: "I told you about", 刚才说的."""
    return _REFERS.search(text) is not None


def parts_of(form: str) -> list[tuple[int, int, str]]:
    """Return (start, end, mark of its sentence) of each part of a message between marks."""
    found = [
        (*_stripped(form, *part), mark) for start, end, mark in _sentences(form) for part in _parts(form, start, end)
    ]
    return [one for one in found if one[1] > one[0]]


def _heard_by_reader(form: str, known: Sequence[ForgetOrder], *, acknowledged: bool) -> Iterator[ForgetOrder]:
    """Yield what the reader takes for an order, as short as it can be: what stands beside it may be the secret.

    Beside an order ("get rid of my card, don't keep it") half of the share is enough, and of one ``acknowledged``.
    """
    parts = parts_of(form)
    shares = dict(_runs(form, parts))
    taken = [(one.start, one.end) for one in known]
    sure = least_share()
    for least in (sure, sure / 2):
        likely = [run for run, share in shares.items() if share >= least]
        for run in sorted(likely, key=lambda one: one[1] - one[0]):
            is_sure = acknowledged or shares[run] >= sure or any(_are_near(form, run, one) for one in taken)
            if is_sure and not any(run[0] < end and start < run[1] for start, end in taken):
                taken.append(run)
                yield _with_names(form, ForgetOrder(*run, Meant.READ))


def _runs(form: str, parts: Sequence[tuple[int, int, str]]) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield the runs that the reader may take for an order, with how likely they are one."""
    least = least_share()
    for start, end in runs_of(form, [(first, last) for first, last, _ in parts]):
        mark = next(mark for _, last, mark in parts if last == end)
        words = form[start:end]
        share = order_share(words + ("?" if mark == "?" else ""))
        if share < least / 2:
            continue
        # What a pattern knows, the patterns have decided: "forget that, I'll take the bus" is none.
        is_task = _ON_TEXT.search(words) is not None and not refers_back(words)
        is_none = is_task or _NO_ORDER.match(words) or _SUPPOSES.match(words) or _match(form, start, end)
        if not is_none and (mark != "?" or _may_be_asked(words)):
            yield (start, end), share


def _are_near(form: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether nothing but marks stands between two parts."""
    between = form[min(one[1], other[1]) : max(one[0], other[0])]
    return re.search(r"\w", between) is None


def _with_names(form: str, order: ForgetOrder) -> ForgetOrder:
    """Return an order with what it names loosely: itself, else in the parts before it that speak of what was said."""
    if order.meant in _EXACT:
        return order
    start, names = order.start, names_of(form[order.start : order.end]) if order.meant is Meant.READ else []
    before = [(first, last) for first, last, _ in parts_of(form) if last <= start]
    for first, last in before[: -1 - _PARTS_BEFORE : -1]:
        is_apart = _ENDS.search(form, last, order.start) and not _ABOUT.search(form, first, last)
        if not names and not is_apart and refers_back(form[first:last]):
            start, names = first, names_of(form[first:last])
    if not names:
        return order if order.meant is not Meant.READ else replace(order, refers=refers_back(form[start : order.end]))
    return ForgetOrder(start, order.end, Meant.READ, names=tuple(names), refers=refers_back(form[start : order.end]))


def _without_repeats(form: str, orders: Sequence[ForgetOrder]) -> list[ForgetOrder]:
    """Return the orders without those that only point at what the one right before them names: "..., drop that"."""
    repeats = [
        after.meant is Meant.READ and not after.names and before.names and _are_near(form, *_places(before, after))
        for before, after in pairwise(orders)
    ]
    return [one for one, repeated in zip(orders, [False, *repeats], strict=False) if not repeated]


def _places(*orders: ForgetOrder) -> Iterator[tuple[int, int]]:
    yield from ((one.start, one.end) for one in orders)


def _without_overlaps(orders: Iterable[ForgetOrder]) -> list[ForgetOrder]:
    """Return the orders in their order in the message; of two that overlap the first given."""
    kept: list[ForgetOrder] = []
    for order in orders:
        if not any(order.start < one.end and one.start < order.end for one in kept):
            kept.append(order)
    return sorted(kept, key=lambda one: one.start)


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
        # "Forget that, I'll take the bus" speaks of what was wanted; "don't save this, I ..." of what is told.
        if order.meant is Meant.POINTED and rest and _FORGETS.search(form, first, last):
            continue
        yield order


def _stripped(form: str, start: int, end: int) -> tuple[int, int]:
    text = form[start:end]
    return start + len(text) - len(text.lstrip(" ,\"'")), start + len(text.rstrip(" ,\"'"))


def _parts(form: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for cut in _SEGMENT.finditer(form, start, end):
        if cut.start() > at:
            yield at, cut.start()
        at = cut.end()
    if at < end:
        yield at, end


def _match(form: str, start: int, end: int) -> ForgetOrder | None:
    first, last = _stripped(form, start, end)
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
