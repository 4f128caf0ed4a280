"""Once: a message comes without the words that its notes say."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from snapshots.context.values import MemoryItem
from snapshots.understanding.heard.turns import tells_something

_GAP = "\u2026"
_LOOSE = " ,;:.!\u2026\u3001\uff0c\u3002\uff1b\uff01"
_AROUND_GAP = re.compile(rf"[{_LOOSE}]*{_GAP}[{_LOOSE}]*")


def without_noted_words(items: Sequence[MemoryItem], standing: Iterable[MemoryItem]) -> Iterator[MemoryItem]:
    """Yield items, messages without what their notes say, among the items or ``standing`` in the prefix.

    What is left is as relevant as its share of the message.
    """
    notes = defaultdict[str, list[str]](list)
    for one in (*standing, *items):
        if one.statement_id and not one.is_refused:
            notes[one.statement_id].append(one.words)
    for item in items:
        yield _what_is_left(item, notes) if item.id in notes else item


def _what_is_left(item: MemoryItem, notes: Mapping[str, Sequence[str]]) -> MemoryItem:
    text = item.text
    for words in sorted(notes[item.id], key=len, reverse=True):
        text = text.replace(words, f" {_GAP} ")
    text = " ".join(_AROUND_GAP.sub(f" {_GAP} ", text).split()).strip(_LOOSE)
    if not tells_something(text.replace(_GAP, ".")):
        return replace(item, is_noted=True)
    share = len(text) / len(item.text)
    return replace(item, text=text, relevance=share * item.relevance, score=share * item.score)
