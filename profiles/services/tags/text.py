"""A query as words: English by spaces, Chinese by jieba, with what jieba joins to a place taken off again."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import rjieba

from memory_platform.kernel.text import HAN
from profiles.services.tags.words import AFTER_HAN, BEFORE_HAN

_RUN = re.compile(rf"(?P<han>[{HAN}]+)|(?P<word>(?:(?![{HAN}])[^\W_])+(?:'[a-z]+)?)|(?P<break>[^\s\w])")
_POSSESSIVE = re.compile(r"('s|s')$")
BREAK = ""
"""Stands for punctuation between two words."""


@dataclass(frozen=True, slots=True)
class TagWord:
    """One word; ``owns`` marks a possessive ("mum's"), ``name`` what jieba takes for a person's name."""

    text: str
    owns: bool = False
    name: bool = False


def words_of(text: str, forms: Collection[str] = ()) -> list[TagWord]:
    """Return the words of a comparable text; ``forms`` are the Chinese words that joined characters are taken off."""
    return list(_words(text, forms))


def is_han(text: str) -> bool:
    """Return whether ``text`` holds Chinese characters."""
    return re.search(f"[{HAN}]", text) is not None


def in_dictionary(word: str) -> bool:
    """Return whether jieba knows ``word``."""
    return bool(rjieba.has_word(word))


def _words(text: str, forms: Collection[str]) -> Iterator[TagWord]:
    for run in _RUN.finditer(text):
        if run["han"]:
            for part, flag in rjieba.tag(run["han"]):
                yield from _split_word(part, forms, name=flag.startswith("nr"))
        elif run["word"]:
            owner = _POSSESSIVE.sub("", run["word"])
            yield TagWord(owner, owns=owner != run["word"])
        elif run["break"] != "'":
            yield TagWord(BREAK)


def _split_word(part: str, forms: Collection[str], *, name: bool) -> Iterator[TagWord]:
    """Yield 回家 as 回 and 家 when 家 is a form; 国家 stays whole, because 国 is nothing that joins."""
    inner = max((form for form in forms if form in part and _only_joined(part, form)), key=len, default=None)
    if inner is None or inner == part:
        yield TagWord(part, name=name)
        return
    before, _, after = part.partition(inner)
    yield from map(TagWord, [*before, inner, *after])


def _only_joined(part: str, form: str) -> bool:
    before, _, after = part.partition(form)
    return BEFORE_HAN.issuperset(before) and AFTER_HAN.issuperset(after)
