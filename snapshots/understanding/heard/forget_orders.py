"""Find orders to forget in a message, and the things that they name. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from snapshots.understanding.heard.order_reader import Run, least_share, may_order, names_of, order_share, runs_of
from snapshots.understanding.heard.turns import tells_something
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.modality import find_quoted, is_played

# Longer messages are documents, not turns.
LONGEST_READ = 1_000
_SENTENCE = re.compile(r"[^.!?;。\n]+(?:\.(?=\w)[^.!?;。\n]+)*([.!?;。\n]?)")
_SEGMENT = re.compile(r"\s*(?:,|\s-{1,3}\s|[–—]|:|…)\s*|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
_FILLER = re.compile(
    r"\W*(?:(?:please|pls|thanks|thank you|thx|ok|okay|sorry|alright|cheers|right|will you|yeah|yes|谢谢|好吗|谢了|"
    r"拜托|抱歉|不好意思|好的?|可以吗|行吗|嗯|吧)\W*){0,4}",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\W*(?:if|unless|when|whenever|suppose|in case|如果|要是|假如|万一|除非|等)", re.IGNORECASE)
_ASKS_EN = re.compile(r"\W*(?:\w+[\s,]+){0,3}?(?:can|could|would|will) you\b", re.IGNORECASE)
_ASKS_ZH = re.compile(r"能不能|可不可以|能|可以|好吗|好不好|行吗|行不行|麻烦")
_NOT_PLAYED = re.compile(
    r"pretend (?=(?:that )?(?:i|u|you) (?:never|didn'?t|did not|(?:just )?(?:said|told you|mentioned|heard) nothing))",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"\b(?:everything|all)(?: of it| that)?(?: (?:i(?:'ve| have)? (?:ever )?(?:said|told you|mentioned|shared)"
    r"|you (?:know|have|remember|saved|stored)))?(?: about (?:me|us))?\W*$|\b(?:about|forget) (?:me|us)\W*$"
    r"|^(?!.*刚).*(?:(?:所有|一切|全部)的?(?:信息|记忆|东西|事情?|内容|资料)"
    r"|(?:说过|告诉你|讲过)的?(?:所有|一切|全部)?的?(?:话|东西|事情?|内容)?[都全])",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:i(?:'ve| have| had)?(?: just| ever| only| never)? (?:said|told|mentioned|wrote|shared|brought up|gave|"
    r"pasted|typed|sent)|(?:told|gave) (?:you|u|ya)|(?:thing|bit|stuff|part|story|mess|business|matter|"
    r"affair) (?:about|with|on|of|from|between)|about what)\b|the (?:very )?last (?:thing|bit|part|message|remark)|"
    r"from me\b|刚[才刚]?的?(?:话|内容|消息)|(?:刚才|刚刚|刚|之前|前面|上次|上回|昨天|我)(?:跟你|和你|给你)?(?:说|讲|"
    r"提|聊|发|吐槽)|(?:之前|前[面头]|前[些几两]?[天日]子?|前番|上[次回]|上个?(?:礼拜|星期|周|月)|昨[天晚]|"
    r"那[天晚回次])[^,。]{0,3}?(?:跟|和|给|与|向|同|对)[你您](?:说|讲|提|聊|发|坦白|吐)|那(?:段|件|个|桩|单|"
    r"档子)?(?:事|情况)|那段$|(?:刚才|刚刚|之前|上次|前面).{1,8}那[段件个条句]|说过|提过|讲过",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\W*(?:(?:oka?y?|k|and|also|oh|please|pls|well|so|now|btw|right|thanks|ta|ah|hm+|ps|listen|actually)\W+){0,4}"
    r"(?:(?:about|as for) )?(?:(?:that|those) (?!(?:is|was|'s)\b)(?!.*\b(?:is|are|was|were|has|have)\b)\D+"
    r"|(?:\w+'?s? ){1,3}(?:stuff|thing|business|matter|story|affair))"
    r"|.{0,3}那[个件段桩单位句笔条些][^,。]{1,12}(?:事儿?|话|毛病|东西|玩意儿?|情况|人|钱)",
    re.IGNORECASE,
)
_POINTS_ONLY = re.compile(
    r"(?:\w+[\s,]+){0,3}?forget (?:about )?(?:that|this|it)|.{0,4}(?:忘[了掉记]?|当.{0,3}我.{0,2}没[说讲提]).{0,3}",
    re.IGNORECASE,
)
_NO_ORDER = re.compile(
    r"\W*i (?:don't|do not|didn't|can't|cannot|could|never) (?:quite )?(?:remember|recall|forget)"
    r"|.*\b(?:don't|do not|never)(?: you)?(?: ever)? forget\b|(?:\w+[\s,]+){0,2}forget it\W*$|.*(?:别|不要|难)忘|.*忘不"
    r"|\W*\w+ (?:told|asked|wanted|begged) (?:me|us|him|her|them) to\b"
    r"|\W*(?:you|你|您)(?:又|都|怎么|是不是)?(?: forgot|忘了我(?!.*吧))",
    re.I,
)
_ENDS, _ABOUT = re.compile(r"[.!?;。\n]"), re.compile(r"\babout\b|关于|的事", re.IGNORECASE)
_TOPIC = re.compile(r"(?:about|regarding|关于|有关)", re.IGNORECASE)
_ON_TEXT = re.compile(
    r"\b(?:sentence|paragraph|row|column|line|bullet|slide|comma|title|heading|page|clause|verse|item|duplicates?)s?\b"
    r"|第.{1,3}[段句行列页项条章]|标点|标题|逗号",
    re.IGNORECASE,
)
# From this probability on, words that the assistant acknowledged are an order. At .1, "one more time and I am
# deleting you" (answered "Gone. Spinach instead?") erased an allergy.
ACKNOWLEDGED_FROM = 0.3
# How many parts before an order may name what it is about.
_PARTS_BEFORE = 2


@dataclass(frozen=True, slots=True)
class ForgetOrder:
    """An order to forget at characters ``start`` to ``end``. ``names`` are the things that it names; ``refers``: it
    points to something said before; ``is_described``: words beside it describe that; ``is_everything``: it means all
    memory, which only the product may erase."""

    start: int
    end: int
    names: tuple[str, ...] = ()
    refers: bool = False
    is_described: bool = False
    is_everything: bool = False


@lru_cache(maxsize=1_024)  # a worker asks for each of a few hundred messages before it asks for the first again
def read_forget_orders(text: str, *, acknowledged: bool = False) -> tuple[ForgetOrder, ...]:
    """Return the orders to forget that a user gives in a message, in order. Most messages cost one search.

    The threshold is lower when the assistant's answer has ``acknowledged`` an order. Cached, because several steps ask
    about the same message.
    """
    form = matching_form(text[: LONGEST_READ + 1])
    heard = sorted(_find_orders(form, acknowledged=acknowledged))
    return tuple(_without_repeats(form, [_with_names(form, start, end) for start, end in heard]))


def runs_to_read(form: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, words) of text that may be an order: the input of the classifier and of its training."""
    if len(form) > LONGEST_READ or "<user_memory" in form or not may_order(form):
        return
    if is_played(_NOT_PLAYED.sub("", form)):
        return
    quoted, parts = find_quoted(form), parts_of(form)
    for start, end in runs_of(form, [(first, last) for first, last, _ in parts]):
        asked = any(last == end and mark == "?" for _, last, mark in parts)
        words = form[start:end]
        is_task = _ON_TEXT.search(words) is not None and not refers_back(words)
        is_none = is_task or _NO_ORDER.match(words) or _SUPPOSES.match(words) or _drops_a_request(form, start, end)
        is_quoted = any(first <= start < last for first, last in quoted)
        # A question can be an order: "Can you forget what I just said?", not "Did you forget it?".
        may_be = not asked or _ASKS_EN.match(words) or _ASKS_ZH.search(words)
        if not is_none and not is_quoted and may_be:
            yield start, end, words + "?" * asked


def refers_back(text: str) -> bool:
    """Return whether words point to something that was said before: "I told you about", 刚才说的."""
    return _REFERS.search(text) is not None


def parts_of(form: str) -> list[tuple[int, int, str]]:
    """Return (start, end, mark of its sentence) of each part of a message between marks."""
    found = [
        (*_stripped(form, *part), mark) for start, end, mark in _sentences(form) for part in _parts(form, start, end)
    ]
    return [one for one in found if one[1] > one[0]]


def _find_orders(form: str, *, acknowledged: bool) -> Iterator[Run]:
    """Yield the runs that are orders, the shortest first: the words beside them may be the secret.

    Beside an order ("get rid of my card, don't keep it") half of the threshold is enough, and little is for one that
    the assistant has ``acknowledged``.
    """
    shares = {(start, end): order_share(words) for start, end, words in runs_to_read(form)}
    taken: list[Run] = []
    sure = least_share()
    for least in (sure, sure / 2, *([ACKNOWLEDGED_FROM] if acknowledged else [])):
        likely = [run for run, share in shares.items() if share >= least]
        for run in sorted(likely, key=lambda one: one[1] - one[0]):
            # Nothing but marks stands between a surer order and one beside it.
            between = (form[min(run[1], one[1]) : max(run[0], one[0])] for one in taken)
            is_sure = acknowledged or shares[run] >= sure or any(re.search(r"\w", text) is None for text in between)
            if is_sure and not any(run[0] < end and start < run[1] for start, end in taken):
                taken.append(run)
                yield run


def _drops_a_request(form: str, start: int, end: int) -> bool:
    """Return whether words only cancel a request: "forget that, I'll take the bus", not "forget that, please"."""
    rest = _ENDS.split(form[end:], maxsplit=1)[0]
    return _POINTS_ONLY.fullmatch(form, start, end) is not None and not _FILLER.fullmatch(rest)


def _with_names(form: str, first: int, end: int) -> ForgetOrder:
    names = names_of(form[first:end])
    if not names and _EVERYTHING.search(form[first:end]):
        return ForgetOrder(first, end, is_everything=True)
    before = [(at, last) for at, last, _ in parts_of(form) if last <= first]
    for at, last in before[: -1 - _PARTS_BEFORE : -1]:
        is_apart = _ENDS.search(form, last, first) and not _ABOUT.search(form, at, last)
        # "That loan to the boy, ..." only says what the order is about.
        is_topic = _TOPIC.match(form[at:last]) is not None or _DESCRIBES.fullmatch(form[at:last]) is not None
        is_meant = refers_back(form[at:last]) or (not names and is_topic)
        if not is_apart and is_meant and (described := names_of(form[at:last])):
            both = dict.fromkeys((*described, *names))
            return ForgetOrder(at, end, tuple(both), refers=True, is_described=True)
    return ForgetOrder(first, end, tuple(names), refers_back(form[first:end]))


def _without_repeats(form: str, orders: Sequence[ForgetOrder]) -> list[ForgetOrder]:
    rest = form
    for one in orders:
        rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
    repeats = [_repeats(rest, before, one) for before, one in pairwise(orders)]
    return [one for one, is_repeat in zip(orders, [False, *repeats], strict=False) if not is_repeat]


def _repeats(rest: str, before: ForgetOrder, one: ForgetOrder) -> bool:
    """Return whether an order overlaps the one before it, or names nothing and the ``rest`` of the message says nothing
    between them or behind it: "don't save this: I owe him" is about the words behind it."""
    if one.start <= before.end:
        return True
    behind = _ENDS.split(rest[one.end :], maxsplit=1)[0]
    return not one.names and not tells_something(rest[before.end : one.start]) and not tells_something(behind)


def _sentences(form: str) -> Iterator[tuple[int, int, str]]:
    for found in _SENTENCE.finditer(form):
        yield found.start(), found.end() - len(found.group(1)), found.group(1)


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
