"""Texts in a form for finding echoes, in English and Chinese. Pure.

Words of liking, knowing and telling are left out: "you prefer tea" and ``likes: tea`` are about tea. Denial and change
are flags, not words: "you no longer drink tea" is no echo of a memory about tea.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import HAN, index_form, to_comparable

_EMPTY_EN = frozenset(
    split_terms(
        "like likes love prefer preference preferred favourite favorite enjoy fond want dislike hate avoid "
        "remember recall know known note noted notes memory memories mention mentioned told tell said say saying wrote "
        "see understand listed list gather according record records far earlier previously already always usually "
        "generally user subject also well okay ok yes sure right great understood course of hi hello thanks "
        "please mind based since because"
    )
)
# Words by which an answer names the number or address of a contact.
KINDS_OF_CONTACT = frozenset(
    split_terms("number numbers phone telephone mobile address lives live 电话 号码 手机 地址 住址")
)
_RE = load_patterns(Path(__file__).with_name("comparable_text.toml"))
FIRST_PERSON = _RE["first_person"]
SECOND_PERSON = _RE["second_person"]
ACTS = _RE["acts"]
SUMMARY = _RE["summary"]
ATTRIBUTION = _RE["attribution"]
_HAN_TERM = re.compile(f"[{HAN}]")
_AROUND = " \t\n\r\"'“”‘’「」『』()[]*•·>#-.!?,;:。！？，；：…"


@dataclass(frozen=True, slots=True)
class ComparableText:
    """A sentence or memory in comparable form. ``words`` are English stems and Chinese characters, ``pairs`` pairs of
    Chinese characters."""

    form: str
    words: frozenset[str]
    pairs: frozenset[str]
    denies: bool
    changes: bool

    @classmethod
    def build(cls, text: str) -> Self:
        form = strip_surrounding_marks(text)
        told = split_terms(_RE["empty_zh"].sub(" ", _RE["empty_phrases"].sub(" ", form.replace("_", " "))))
        pairs = frozenset(term for term in told if len(term) == 2 and _HAN_TERM.match(term))  # noqa: PLR2004 - a pair
        words = frozenset(told) - pairs - _EMPTY_EN
        return cls(form, words, pairs, bool(_RE["denies"].search(form)), bool(_RE["changes"].search(form)))


def strip_surrounding_marks(text: str) -> str:
    """Return ``text`` in comparable form without list marks, quotation marks and the full stop around it."""
    return to_comparable(text.strip(_AROUND)).strip(_AROUND)


def speaks_of_speaker(text: str) -> bool:
    return FIRST_PERSON.search(text) is not None


def mentions_user(text: str) -> bool:
    return SECOND_PERSON.search(text) is not None


def reports_action(text: str) -> bool:
    return ACTS.search(index_form(text)) is not None
