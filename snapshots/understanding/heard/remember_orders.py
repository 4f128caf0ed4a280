"""Find words that a user asks to have remembered: "Remember that I park on level 3", 记住我停在三层. Pure.

The words become a note whatever their grade. Instructions, secrets and questions are not remembered by being asked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.reading.modality import find_quotations, is_question, measure_own_words
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching

LONGEST_READ = 2_000
_RE = load_patterns(Path(__file__).with_name("data") / "remember_orders.toml")
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
    form = fold_for_matching(text)
    own = measure_own_words(form)
    quoted = [*find_quotations(form), (own, len(form))]
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
    for cue in (_RE["cue_en"], _RE["cue_zh"]):
        found = cue.match(sentence)
        if found is None or (cue is _RE["cue_en"] and _RE["not_said_en"].match(found["said"])):
            continue
        said = found["said"].rstrip(_LOOSE)
        asks = sentence.rstrip().endswith(("?", "吗")) and not re.match(
            r"\W*(?:can|could|would|will) you\b", sentence, re.IGNORECASE
        )
        if (
            (len(_RE["han"].findall(said)) < _LEAST_HAN and len(said.split()) < _LEAST_WORDS)
            or asks
            or is_question(said, ends_asked=False, language="zh" if cue is _RE["cue_zh"] else "en")
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
