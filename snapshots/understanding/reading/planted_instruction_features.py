"""Features for classifying instructions: runs of words, and ordered pairs of word classes.

``instruction_words.toml`` puts words of one meaning into classes ("wire" and "transfer", 转账 and 打款), which both
languages share.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from snapshots.understanding.reading.text_folding import fold_for_matching

_WORDS = Path(__file__).with_name("data") / "instruction_words.toml"
_ADDRESS = re.compile(r"[a-z0-9._+-]+@[a-z0-9.-]+|https?://[!-~]+")
_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|[\u3400-\u9fff]|[0@?!,.;:-]")
_CLASSED = re.compile(r"#\d+|[a-z]+(?:['-][a-z]+)*|[\u3400-\u9fff]|[0@?!,.;:-]")
_START, _END = "^", "$"
_OWN_CLASS = frozenset({_START, _END, "0", "@"})
LONGEST_RUN = 3
# Two classes form a pair within so many words that have a class.
PAIRED_OVER = 12


def extract_features(text: str) -> set[str]:
    """Return the features of a text: runs of up to three words, the classes of words, pairs of classes in order, and
    runs of classes."""
    form = _NUMBER.sub("0", _ADDRESS.sub("@", fold_for_matching(text).lower()))
    words = [_START, *_TOKEN.findall(form), _END]
    classed = [(_START,), *_list_classes(form), (_END,)]
    known = _load_classes()
    told = [one for one in ([name for name in names if name in known.names] for names in classed) if one]
    return {
        *_list_word_runs(words, 1, "w"),
        *_list_word_runs([names[0] for names in classed], 2, "m"),
        *_list_class_pairs(told),
    }


def _list_word_runs(words: Sequence[str], shortest: int, mark: str) -> Iterator[str]:
    for length in range(shortest, LONGEST_RUN + 1):
        for at in range(len(words) - length + 1):
            yield f"{mark}:{'_'.join(words[at : at + length])}"


def _list_class_pairs(classes: Sequence[Sequence[str]]) -> Iterator[str]:
    for at, names in enumerate(classes):
        for name in names:
            yield f"u:{name}"
            yield from (f"p:{name}>{other}" for behind in classes[at + 1 : at + 1 + PAIRED_OVER] for other in behind)


def _list_classes(form: str) -> Iterator[Sequence[str]]:
    known = _load_classes()
    for word in _CLASSED.findall(known.chinese.sub(lambda match: f" #{known.places[match.group()]} ", form)):
        yield known.listed[int(word[1:])] if word[0] == "#" else known.english.get(word, (word,))


@dataclass(frozen=True, slots=True)
class _WordClasses:
    """English words with their classes, and Chinese words with their classes by their place in ``listed``."""

    names: frozenset[str]
    english: Mapping[str, Sequence[str]]
    chinese: re.Pattern[str]
    places: Mapping[str, int]
    listed: Sequence[Sequence[str]]


@cache
def _load_classes() -> _WordClasses:
    held = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    english, chinese = _group_by_word(held["en"]), _group_by_word(held["zh"])
    longest_first = sorted(chinese, key=lambda word: (-len(word), word))
    return _WordClasses(
        names=frozenset({*held["en"], *held["zh"], *_OWN_CLASS}),
        english=english,
        chinese=re.compile("|".join(map(re.escape, longest_first))),
        places={word: place for place, word in enumerate(longest_first)},
        listed=[chinese[word] for word in longest_first],
    )


def _group_by_word(classes: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, words in classes.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), name)
    return found
