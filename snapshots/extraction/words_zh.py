"""Chinese words and what kind they are: where a name may begin, and who is told of.

Rules match characters, and a character is not a word: 养老是 holds no 老是, and 选择 no 选 of something.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import rjieba

from snapshots.extraction.phrases_zh import PLAIN

_ACT = frozenset("吃喝饮食看听读追玩打练跑骑爬去逛坐搭乘住订选走绕停开带养种用穿戴买做学改换说不别我有来叫点")
"""Verbs that jieba joins to a short object: 吃素, 喝茶, 爬楼梯."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word; ``kind`` is jieba's part of speech ("n", "v", "d" ...), ``start`` and ``end`` are characters."""

    text: str
    kind: str
    start: int
    end: int


@lru_cache(maxsize=32)  # a clause is asked for by each of its candidates
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of ``text`` in order; together they are all of it."""
    found: list[Word] = []
    at = 0
    for word, kind in rjieba.tag(text):
        found.append(Word(word, kind, at, at + len(word)))
        at += len(word)
    return tuple(found)


def words_at(text: str, value: str) -> tuple[Word, ...]:
    """Return the words of ``text`` that ``value`` touches; its own words where it does not stand there."""
    at = text.find(value)
    if at < 0:
        return words_of(value)
    return tuple(word for word in words_of(text) if word.end > at and word.start < at + len(value))


def begins_inside(text: str, value: str) -> bool:
    """Return whether ``value`` begins inside a word of ``text``: 社会 is cut in 养老是|社会, 择 in 选择."""
    at = text.find(value)
    if at < 0 or not value:
        return False
    head = words_at(text, value)[0]
    if head.start == at:
        return False
    if not rjieba.has_word(head.text):
        return False  # a guess of jieba, not a word of its dictionary: 粉曼联, 是白班
    cut, rest = text[head.start : at], text[at : head.end]
    return not (set(cut) <= _ACT and (rest in PLAIN or len(rest) > 1))


_TURNS = re.compile(r"[改换们]")


def cuts_a_turn(text: str, value: str) -> bool:
    """Return whether ``value`` is cut out beside a 改 or 换 that is part of a word: 装 of 改装, 们 of 他们."""
    at = text.find(value)
    end = at + len(value)
    return at >= 0 and any(
        _TURNS.search(word.text) and len(word.text) > 1 and rjieba.has_word(word.text)
        for word in words_at(text, value)
        if word.start < at or word.end > end
    )


_SENTENCE = re.compile(r"[。!?;\n…]+|\.(?=\s|$)")
_LONG_TURN = 40
_SHORT_TEXT = 24
"""Characters: a longer turn, or one of several sentences that is longer than this, tells something."""


def is_telling(message: str) -> bool:
    """Return whether ``message`` tells a story or reviews a thing, rather than says one thing to an assistant."""
    sentences = [part for part in _SENTENCE.split(message) if len(part.strip()) > 1]
    return len(message) > _LONG_TURN or (len(sentences) > 1 and len(message) > _SHORT_TEXT)
