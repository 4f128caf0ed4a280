"""Find orders to forget in a message, and the things that they name. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.heard.forget_order_classifier import (
    Run,
    extract_names,
    list_runs,
    may_be_order,
    order_probability,
    order_threshold,
)
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.modality import find_quotations, measure_own_words
from snapshots.understanding.reading.text_folding import fold_for_matching

# Longer messages are documents, not turns.
LONGEST_READ = 1_000
_SENTENCE = re.compile(r"[^.!?;。\n]+(?:\.(?=\w)[^.!?;。\n]+)*([.!?;。\n]?)")
_RE = load_patterns(Path(__file__).with_name("data") / "forget_orders.toml")
_ENDS, _ABOUT = re.compile(r"[.!?;。\n]"), re.compile(r"\babout\b|关于|的事", re.IGNORECASE)
# From this probability on, words that the assistant acknowledged are an order. At .1, "one more time and I am
# deleting you" (answered "Gone. Spinach instead?") erased an allergy.
ACKNOWLEDGED_FROM = 0.3
# How many parts before an order may name what it is about.
_PARTS_BEFORE = 2


@dataclass(frozen=True, slots=True)
class SpokenForgetOrder:
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
def find_forget_orders(text: str, *, acknowledged: bool = False) -> tuple[SpokenForgetOrder, ...]:
    """Return the orders to forget that a user gives in a message, in order. Most messages cost one search.

    The threshold is lower when the assistant's answer has ``acknowledged`` an order. Cached, because several steps ask
    about the same message.
    """
    form = fold_for_matching(text[: LONGEST_READ + 1])
    heard = sorted(_choose_orders(form, acknowledged=acknowledged))
    orders = [_build_order_with_names(form, start, end) for start, end in heard]
    return tuple(_drop_repeated_orders(form, _join_order_with_its_name(form, orders)))


def list_possible_orders(form: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, words) of text that may be an order: the input of the classifier and of its training."""
    if len(form) > LONGEST_READ or "<user_memory" in form or not may_be_order(form):
        return
    own = measure_own_words(_RE["not_played"].sub(lambda match: " " * len(match.group()), form))
    quoted, parts = find_quotations(form), [one for one in split_parts(form) if one[1] <= own]
    for start, end in list_runs(form, [(first, last) for first, last, _ in parts]):
        asked = any(last == end and mark == "?" for _, last, mark in parts)
        words = form[start:end]
        is_task = _RE["on_text"].search(words) is not None and not refers_back(words)
        is_none = (
            is_task
            or _RE["no_order"].match(words)
            or _RE["supposes"].match(words)
            or _only_cancels_request(form, start, end)
        )
        is_quoted = any(first <= start < last for first, last in quoted)
        # A question can be an order: "Can you forget what I just said?", not "Did you forget it?".
        may_be = not asked or _RE["asks_en"].match(words) or _RE["asks_zh"].search(words)
        if not is_none and not is_quoted and may_be:
            yield start, end, words + "?" * asked


def refers_back(text: str) -> bool:
    """Return whether words point to something that was said before: "I told you about", 刚才说的."""
    return _RE["refers"].search(text) is not None


def split_parts(form: str) -> list[tuple[int, int, str]]:
    """Return (start, end, mark of its sentence) of each part of a message between marks."""
    found = []
    for sentence in _SENTENCE.finditer(form):
        mark = sentence.group(1)
        for first, last in _split_sentence(form, sentence.start(), sentence.end() - len(mark)):
            text = form[first:last]
            span = first + len(text) - len(text.lstrip(" ,\"'")), first + len(text.rstrip(" ,\"'"))
            found += [(*span, mark)] if span[1] > span[0] else []
    return found


def _choose_orders(form: str, *, acknowledged: bool) -> Iterator[Run]:
    """Yield the runs that are orders, the shortest first: the words beside them may be the secret.

    Beside an order ("get rid of my card, don't keep it") half of the threshold is enough, and little is for one that
    the assistant has ``acknowledged``.
    """
    shares = {(start, end): order_probability(words) for start, end, words in list_possible_orders(form)}
    taken: list[Run] = []
    sure = order_threshold()
    for least in (sure, sure / 2, *([ACKNOWLEDGED_FROM] if acknowledged else [])):
        likely = [run for run, share in shares.items() if share >= least]
        for run in sorted(likely, key=lambda one: one[1] - one[0]):
            # Nothing but marks stands between a surer order and one beside it.
            between = (form[min(run[1], one[1]) : max(run[0], one[0])] for one in taken)
            is_sure = acknowledged or shares[run] >= sure or any(re.search(r"\w", text) is None for text in between)
            if is_sure and not any(run[0] < end and start < run[1] for start, end in taken):
                taken.append(run)
                yield run


def _only_cancels_request(form: str, start: int, end: int) -> bool:
    """Return whether words only cancel a request: "forget that, I'll take the bus", not "forget that, please"."""
    rest = _ENDS.split(form[end:], maxsplit=1)[0]
    return _RE["points_only"].fullmatch(form, start, end) is not None and not _RE["filler"].fullmatch(rest)


def _build_order_with_names(form: str, first: int, end: int) -> SpokenForgetOrder:
    names = extract_names(form[first:end])
    if not names and _RE["everything"].search(form[first:end]):
        return SpokenForgetOrder(first, end, is_everything=True)
    before = [(at, last) for at, last, _ in split_parts(form) if last <= first]
    for at, last in before[: -1 - _PARTS_BEFORE : -1]:
        is_apart = _ENDS.search(form, last, first) and not _ABOUT.search(form, at, last)
        # "That loan to the boy, ..." only says what the order is about.
        is_topic = (
            _RE["topic"].match(form[at:last]) is not None or _RE["describes"].fullmatch(form[at:last]) is not None
        )
        is_meant = refers_back(form[at:last]) or (not names and is_topic)
        if not is_apart and is_meant and (described := extract_names(form[at:last])):
            both = dict.fromkeys((*described, *names))
            return SpokenForgetOrder(at, end, tuple(both), refers=True, is_described=True)
    return SpokenForgetOrder(first, end, tuple(names), refers_back(form[first:end]))


def _join_order_with_its_name(form: str, orders: Sequence[SpokenForgetOrder]) -> list[SpokenForgetOrder]:
    """Return orders; "forget that bit, what I said about the loan" is one: carried out as two, the second would look
    elsewhere for what the first has removed. "Forget that. Forget what I said about the loan" is two."""
    joined: list[SpokenForgetOrder] = []
    for one in orders:
        before = joined[-1] if joined else None
        is_bare = before is not None and not before.names and not before.is_everything
        if before and is_bare and _is_name_only(form, one) and not re.search(r"\w", form[before.end : one.start]):
            joined[-1] = replace(one, start=before.start)
        else:
            joined.append(one)
    return joined


def _is_name_only(form: str, one: SpokenForgetOrder) -> bool:
    """Return whether an order begins with what it names, and orders nothing there."""
    first, last, _ = split_parts(form[one.start : one.end])[0]
    return one.refers and bool(one.names) and not may_be_order(form[one.start + first : one.start + last])


def _drop_repeated_orders(form: str, orders: Sequence[SpokenForgetOrder]) -> list[SpokenForgetOrder]:
    rest = form
    for one in orders:
        rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
    repeats = [_repeats_order(rest, before, one) for before, one in pairwise(orders)]
    return [one for one, is_repeat in zip(orders, [False, *repeats], strict=False) if not is_repeat]


def _repeats_order(rest: str, before: SpokenForgetOrder, one: SpokenForgetOrder) -> bool:
    """Return whether an order overlaps the one before it, or names nothing and the ``rest`` of the message says nothing
    between them or behind it: "don't save this: I owe him" is about the words behind it."""
    if one.start <= before.end:
        return True
    behind = _ENDS.split(rest[one.end :], maxsplit=1)[0]
    return not one.names and not tells_something(rest[before.end : one.start]) and not tells_something(behind)


def _split_sentence(form: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for cut in _RE["segment"].finditer(form, start, end):
        if cut.start() > at:
            yield at, cut.start()
        at = cut.end()
    if at < end:
        yield at, end
