"""A query as words: English by spaces, Chinese by jieba, without the characters that jieba joins to a place."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import rjieba

from memory_platform.kernel.text import HAN
from profiles.tag_label_words import AFTER_HAN, BEFORE_HAN

_RUN = re.compile(rf"(?P<han>[{HAN}]+)|(?P<word>(?:(?![{HAN}])[^\W_])+(?:'[a-z]+)?)|(?P<break>[^\s\w])")
_POSSESSIVE = re.compile(r"('s|s')$")
# Stands for punctuation between two words.
BREAK = ""


@dataclass(frozen=True, slots=True)
class TagWord:
    """One word; ``owns`` marks a possessive ("mum's"), ``name`` a person's name according to jieba."""

    text: str
    owns: bool = False
    name: bool = False


def split_words(text: str, forms: Collection[str] = ()) -> list[TagWord]:
    """Return the words of a comparable text; joined characters are split off the Chinese words in ``forms``."""
    return list(_list_words(text, forms))


def is_han(text: str) -> bool:
    return re.search(f"[{HAN}]", text) is not None


def is_in_dictionary(word: str) -> bool:
    return bool(rjieba.has_word(word))


def _list_words(text: str, forms: Collection[str]) -> Iterator[TagWord]:
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
    """Split 回家 into 回 and 家 if 家 is a form; 国家 stays whole, because 国 never joins."""
    inner = max(
        (form for form in forms if form in part and _has_only_joined_characters(part, form)), key=len, default=None
    )
    if inner is None or inner == part:
        yield TagWord(part, name=name)
        return
    before, _, after = part.partition(inner)
    yield from map(TagWord, [*before, inner, *after])


def _has_only_joined_characters(part: str, form: str) -> bool:
    before, _, after = part.partition(form)
    return BEFORE_HAN.issuperset(before) and AFTER_HAN.issuperset(after)
