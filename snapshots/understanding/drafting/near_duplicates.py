"""Whether two texts say the same: most words, all numbers, the same order, and the same words denied.

One text may have a few more words. The order may differ by a turn ("I run every morning", "every morning I run") and in
joined pairs ("nuts and shellfish"): "from Leeds to Porto" is not "from Porto to Leeds".
"""

import re
from collections import Counter
from collections.abc import Sequence

from memory_platform.kernel.keyword_terms import CHINESE, ENGLISH, split_terms, stem_words
from memory_platform.kernel.text import index_form, to_comparable
from snapshots.understanding.config import NOTING, NotingConfig

_NUMBER = re.compile(r"\d+(?:[.:]\d+)?|[零一二三四五六七八九十百千万]+")
_DENIES = r"\b(?:not?|nor|never|cannot|without|any ?more|(?:do|does|did|is|are|was|wo|would|ca|could|have|has)nt)\b"
_NEGATES = re.compile(rf"{_DENIES}|n't\b|不|没|别|无|戒")
_PART = re.compile(
    rf"(?P<denial>{_DENIES}|\w*n't\b|[不没别无戒])|[\u3400-\u9fff]|(?:(?![\u3400-\u9fff])\w)+(?:'[a-z]+)?"
)

_JOINS = frozenset(("and", "or"))
# Words that one of two equal texts may lack, or have at another place.
_IDLE = frozenset(("a", "an", "the", "but", "also", "too", "so", "then", "我"))
_TURNING = "before after from over under above below off out up down until against between during more most few again"
# English stop words that change the meaning of a text.
_TURNS = frozenset(_TURNING.split())
_PERSONS = {"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}
_TAIL = re.compile(r"'(?:m|s|ve|d|ll|re)$")
_DENIED = "\u00ac"
# Words that only point out that what follows was said before: "I told you that I eat no meat".
_REMINDER = re.compile(
    r"\A(?:(?:(?:as|like) )?i(?:'ve| have)?(?: already| just)? (?:said|told you|mentioned)(?: to you)?"
    r"(?: (?:before|earlier|already|last time|once))?"
    r"|(?:please )?(?:do not|don't) forget|(?:please |you )?remember|you know)"
    r"(?:[,:]| that)* (?=\w)"
    r"|\A(?:请?(?:记得|记住|别忘了)|你(?:也|应该)?(?:知道|记得)的?"
    r"|(?:就?像?我)?(?:之前|上次|以前|前面|早就|已经)?[跟和对]?你?(?:说过|提过|讲过|告诉过你)的?)[,:、 ]*(?=\w)"
)


def says_the_same(one: str, other: str, config: NotingConfig = NOTING) -> bool:
    one, other = _drop_reminder(one), _drop_reminder(other)
    if to_comparable(one) == to_comparable(other):
        return True
    if sorted(_NUMBER.findall(one)) != sorted(_NUMBER.findall(other)):
        return False
    if count_denials(one) != count_denials(other):
        return False
    own, others = set(split_terms(one)), set(split_terms(other))
    return bool(own) and len(own & others) / len(own | others) >= config.overlap and _have_same_order(one, other)


def _drop_reminder(text: str) -> str:
    return _REMINDER.sub("", index_form(text))


def count_denials(text: str) -> int:
    return len(_NEGATES.findall(index_form(text)))


def _have_same_order(one: str, other: str) -> bool:
    own, others = _list_words_in_order(one), _list_words_in_order(other)
    telling, telling_others = Counter(filter(_is_content_word, own)), Counter(filter(_is_content_word, others))
    if not (telling <= telling_others or telling_others <= telling):
        return False
    own, others = [word for word in own if word in others], [word for word in others if word in own]
    fewer, more = sorted((own, others), key=len)
    return any(_matches_after_rotation(read(fewer), read(more)) for read in (_drop_conjunctions, _sort_pairs))


def _list_words_in_order(text: str) -> list[str]:
    """Return the stems and Chinese characters of a text in order; a denial is put on the telling word behind it."""
    found, is_denied = list[str](), False
    for part in _PART.finditer(index_form(text)):
        if part["denial"]:
            is_denied = True
            continue
        word = _find_base_word(part.group())
        if is_denied and _is_content_word(word):
            word, is_denied = _DENIED + word, False
        if word not in _IDLE:
            found.append(word)
    return [*found, _DENIED] if is_denied else found


def _find_base_word(word: str) -> str:
    """Return a word without its ending or contraction; "I", "me" and "I'm" give the same word."""
    word = _TAIL.sub("", word)
    return _PERSONS.get(word) or (word if word in ENGLISH else stem_words((word,))[0])


def _is_content_word(word: str) -> bool:
    return word in _TURNS or (word not in ENGLISH and word not in CHINESE)


def _matches_after_rotation(fewer: Sequence[str], more: Sequence[str]) -> bool:
    for at in range(max(len(fewer), 1)):
        rest = iter(more)
        if all(word in rest for word in [*fewer[at:], *fewer[:at]]):
            return True
    return False


def _sort_pairs(words: Sequence[str]) -> list[str]:
    found = list(words)
    for at in range(1, len(found) - 1):
        if found[at] in _JOINS and found[at - 1] > found[at + 1]:
            found[at - 1], found[at + 1] = found[at + 1], found[at - 1]
    return _drop_conjunctions(found)


def _drop_conjunctions(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _JOINS]
