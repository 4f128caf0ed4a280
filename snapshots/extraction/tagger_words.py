"""The words of a sentence as the tagger reads them: their part of speech, their kind and what stands around them.

English words stand by themselves, Chinese runs are cut by jieba. ``tagger_words.txt`` puts the frequent words of both
languages into kinds of one meaning (a line each), so that a word never taught is read like those beside it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import rjieba

from snapshots.extraction.lexicon_en import CATEGORY_OF as CATEGORIES_EN
from snapshots.extraction.lexicon_zh import CATEGORY_OF as CATEGORIES_ZH
from snapshots.extraction.observe import Clause

WORDS = Path(__file__).with_name("tagger_words.txt")
MOST_WORDS = 80
"""Of one sentence; what stands behind them is not read."""
ENGLISH, NUMBER, MARK = "E", "D", "x"
_PARTS = re.compile(
    r"(?P<han>[\u3400-\u9fff]+)|(?P<word>[A-Za-z]+(?:[-'][A-Za-z]+)*)|(?P<digits>\d+(?:[:.,]\d+)*)|(?P<mark>[^\s\w])"
)
_ENDS = ("s", "es", "ing", "ed", "'s")
_SMALL_WORDS = """
i me my we our us you he she they it the a an of for to in on at with and or but not no is are am was be do does did
have has had this that so just really 我 你 他 她 它 们 的 了 是 在 不 也 都 就 很 有 和 着 过 给 把 被 这 那 一 个
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_FEWEST_ALIKE, _MOST_ALIKE = 3, 0.6
"""Words of a kind that have a category, and the share of them that must have one and the same."""
_FARTHEST, _FARTHEST_BACK, _MOST_CLAUSES, _LONGEST_SHAPE = 4, 3, 2, 4


@dataclass(frozen=True, slots=True)
class Word:
    """Characters ``start`` to ``end`` of a sentence; ``text`` is folded, ``part`` the part of speech."""

    start: int
    end: int
    text: str
    part: str
    shape: str

    @property
    def content(self) -> bool:
        """Whether it may name a thing."""
        return self.part != MARK and self.text not in _SMALL


@dataclass(frozen=True, slots=True)
class Read:
    """What a sentence is read by.

    ``near`` holds the features of each word; what the other words of its clause say (as words ``left`` and ``right`` of
    it) and those of the clauses beside it is added to content words. ``clause`` numbers the clause of each word.
    """

    words: tuple[Word, ...]
    near: list[list[str]]
    left: list[list[str]]
    right: list[list[str]]
    earlier: list[list[str]]
    later: list[list[str]]
    clause: list[int]


def read_by(clauses: Sequence[Clause]) -> Read:
    """Return what the sentence of ``clauses`` is read by."""
    first = clauses[0]
    words = tuple(_first_words(first.sentence))
    at = _clause_of(words, [clause.start - first.sentence_start for clause in clauses])
    kinds = [kind_of(word.text, word.part) for word in words]
    said = [marks_of(clause) for clause in clauses]
    heads = [at.index(number) if number in at else 0 for number in range(len(clauses))]
    ends = [len(at) - 1 - at[::-1].index(number) if number in at else 0 for number in range(len(clauses))]
    language = "z" if first.language == "zh" else "e"
    near = _near(words, kinds, language)
    for position, (features, number) in enumerate(zip(near, at, strict=True)):
        features.extend(said[number])
        features.append(f"cp={min(position - heads[number], _FARTHEST)}{language}")
        features.append(f"ce={min(ends[number] - position, _FARTHEST_BACK)}{language}")
        features.append(f"ci={min(number, _MOST_CLAUSES)}")
    told = [word.part != MARK for word in words]
    return Read(
        words,
        near,
        left=[[f"L={w.text}", f"Lc={k}"] if ok else [] for w, k, ok in zip(words, kinds, told, strict=True)],
        right=[[f"R={w.text}", f"Rc={k}"] if ok else [] for w, k, ok in zip(words, kinds, told, strict=True)],
        earlier=[[f"P={w.text}"] if ok else [] for w, ok in zip(words, told, strict=True)],
        later=[[f"F={w.text}"] if ok else [] for w, ok in zip(words, told, strict=True)],
        clause=at,
    )


def _first_words(sentence: str) -> Iterator[Word]:
    count = 0
    for found in _PARTS.finditer(sentence):
        for word in _words(found):
            yield word
            count += 1
            if count == MOST_WORDS:
                return


def _words(found: re.Match[str]) -> Iterator[Word]:
    start = found.start()
    if found["han"]:
        for text, tag in rjieba.tag(found["han"]):
            part = tag[:2] if tag[0] in "nvu" else tag[0]
            yield Word(start, start + len(text), text, part, f"{part}{min(len(text), _LONGEST_SHAPE)}")
            start += len(text)
    elif found["word"]:
        said = found["word"]
        shape = "A" if said.isupper() and len(said) > 1 else "C" if said[0].isupper() else "a"
        yield Word(start, found.end(), said.lower(), ENGLISH, shape)
    elif found["digits"]:
        yield Word(start, found.end(), "0", NUMBER, f"D{min(found.end() - start, _LONGEST_SHAPE)}")
    else:
        yield Word(start, found.end(), found["mark"], MARK, "x")


def _clause_of(words: Sequence[Word], starts: Sequence[int]) -> list[int]:
    at, number = [], 0
    for word in words:
        while number + 1 < len(starts) and word.start >= starts[number + 1]:
            number += 1
        at.append(number)
    return at


def _near(words: Sequence[Word], kinds: Sequence[str], language: str) -> list[list[str]]:
    said = ["<s>", "<s>", *(word.text for word in words), "</s>", "</s>"]
    of = ["^", "^", *kinds, "$", "$"]
    found = []
    before = "^"
    for i, word in enumerate(words):
        w2, w1, w, v1, v2 = said[i : i + 5]
        c2, c1, c, d1, d2 = of[i : i + 5]
        found.append(
            [
                "b",
                f"w0={w}",
                f"w-={w1}",
                f"w+={v1}",
                f"w--={w2}",
                f"w++={v2}",
                f"ww-={w1}_{w}",
                f"ww+={w}_{v1}",
                f"w3-={w2}_{w1}",
                f"w3+={v1}_{v2}",
                f"c0={c}",
                f"c-={c1}",
                f"c+={d1}",
                f"c--={c2}",
                f"c++={d2}",
                f"cc-={c1}_{c}",
                f"cc+={c}_{d1}",
                f"cc3-={c2}_{c1}",
                f"k={category(w, word.part)}",
                f"s={word.shape}",
                f"p={word.part}{language}",
                f"pp={before}_{word.part}",
                f"x={w[-3:] if word.part == ENGLISH else w[-1]}",
            ]
        )
        before = word.part
    return found


def marks_of(clause: Clause) -> list[str]:
    """Return what a clause says about itself."""
    told = {
        "m=q": clause.question,
        "m=s": clause.supposed,
        "m=r": clause.reported,
        "m=o": clause.one_off,
        "m=l": clause.lasting,
    }
    return [f"m=S{clause.subject}", *(name for name, holds in told.items() if holds)]


@lru_cache(maxsize=16_384)
def category(text: str, part: str) -> str:
    """Return the lexicon's category of a word, "-" where it has none."""
    if part == ENGLISH:
        return CATEGORIES_EN.get(text) or CATEGORIES_EN.get(text.removesuffix("s")) or "-"
    ends = (text[at:] for at in range(len(text)))
    return next((CATEGORIES_ZH[end] for end in ends if end in CATEGORIES_ZH), "-")


@lru_cache(maxsize=16_384)
def kind_of(text: str, part: str) -> str:
    """Return the number of a word's kind; of an unknown word "?" and its part of speech."""
    kinds = word_kinds()
    if part == ENGLISH:
        last = text.rpartition("-")[2]
        forms = [text, last, *(last.removesuffix(end) for end in _ENDS)]
    else:
        forms = [text[at:] for at in range(len(text))]
    return next((kinds[form] for form in forms if form in kinds), f"?{part}")


@lru_cache(maxsize=1)
def word_kinds() -> dict[str, str]:
    """Return the kind of each word that ``tagger_words.txt`` holds, by its line."""
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return {word: str(number) for number, line in enumerate(lines) for word in line.split()}


def category_of_kind(text: str) -> str | None:
    """Return the category that most known words have which are of one kind with the last words of ``text``."""
    for word in reversed(tuple(_first_words(text))):
        found = _kind_categories().get(kind_of(word.text, word.part))
        if word.content and found:
            return found
    return None


@lru_cache(maxsize=1)
def _kind_categories() -> dict[str, str]:
    of: dict[str, Counter[str]] = {}
    for word, kind in word_kinds().items():
        named = CATEGORIES_EN.get(word) or CATEGORIES_ZH.get(word)
        if named:
            of.setdefault(kind, Counter())[named] += 1
    best = {kind: counts.most_common(1)[0] for kind, counts in of.items()}
    return {
        kind: name
        for kind, (name, count) in best.items()
        if count >= _FEWEST_ALIKE and count >= _MOST_ALIKE * of[kind].total()
    }
