"""Say each thing once: messages lose the words that their notes say, and bare masks are left out."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from snapshots.context.choosing.adjusted_relevance import raise_relevance, shorten_message
from snapshots.context.choosing.deduplicate import are_entries_named, list_value_entries, normalise_words
from snapshots.context.values import MemoryItem
from snapshots.understanding.drafting.near_duplicates import says_the_same
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.clauses import split_clauses

_GAP = "\u2026"
_LOOSE = " ,;:.!\u2026\u3001\uff0c\u3002\uff1b\uff01"
_AROUND_GAP = re.compile(rf"[{_LOOSE}]*{_GAP}[{_LOOSE}]*")
# Phrases that lead to something and say nothing themselves.
_IDLE = re.compile(
    r"\b(?:by the way|btw|just so you know|fyi|for the record|(?:like|as) i(?:'ve)? (?:said|mentioned|told you)"
    r"(?: before| earlier)?|i(?:'ve)?(?: already)? (?:said|mentioned|told you)(?: this| that| it)?(?: before)?)\b"
    r"|顺便(?:说|提|讲)?(?:一下|一句|下)?|对了|话说|我?(?:之前|刚才|刚刚|上次|以前)?(?:跟你)?(?:说|讲|提)过(?:的|了)?",
    re.IGNORECASE,
)


def drop_noted_words(items: Sequence[MemoryItem], standing: Iterable[MemoryItem]) -> Iterator[MemoryItem]:
    """Yield items; messages lose the words of their notes among the items or ``standing`` in the prefix. The rest gets
    its share of the message's relevance."""
    notes = defaultdict[str, list[str]](list)
    for one in (*standing, *items):
        for statement_id in () if one.is_refused else one.statement_ids:
            notes[statement_id].append(one.words)
    for item in items:
        yield _cut_noted_words(item, notes) if item.id in notes else item


def merge_slots_into_notes(notes: Iterable[MemoryItem], slots: Sequence[MemoryItem]) -> Iterator[MemoryItem]:
    """Yield memories, then slots: a note that names a preference's value replaces it, and is as relevant."""
    noted: set[str] = set()
    values = [(slot, entries) for slot in slots if (entries := list_value_entries(slot))]
    for note in notes:
        said = (
            [normalise_words(note.text)]
            if values and note.kind == "note" and not note.doubted_since and not note.is_refused
            else []
        )
        named = [slot for slot, entries in values if are_entries_named(entries, said)]
        noted |= {slot.id for slot in named}
        best = max(named, key=lambda slot: slot.relevance, default=note)
        more = best.relevance / max(note.relevance, _LEAST)
        score = min(1.0, note.score * more)
        yield raise_relevance(note, best.relevance, score, "as_slot", best.explain) if more > 1 else note
    for slot in slots:
        yield replace(slot, is_noted=True) if slot.id in noted else slot


def drop_bare_masks(items: Iterable[MemoryItem]) -> Iterator[MemoryItem]:
    """Yield items without those that only say that something is masked; vital ones stay."""
    for item in items:
        if item.vital or _MASK not in item.text or tells_something(_ONLY_MASKED.sub(".", item.text)):
            yield item


_LEAST = 1e-3
_MASK = "[masked "
_ONLY_MASKED = re.compile(
    r"(?:\b(?:and|so|also)\s+)?\b(?:my|our|the|his|her|your|their|its|it|this|that|here)\b[\w\s'\u2019]{0,40}?"
    r"(?:\bis\b|\bare\b|\bwas\b|'s|\u2019s|:|=)\s*:?\s*\[masked [^\]]*\]"
    r"|[^,.;!?\s\uff0c\u3002\uff1b\uff01\uff1f\[]{0,16}(?:是|为|:|\uff1a)\s*\[masked [^\]]*\]"
    r"|\[masked [^\]]*\]",
    re.IGNORECASE,
)


def _cut_noted_words(item: MemoryItem, notes: Mapping[str, Sequence[str]]) -> MemoryItem:
    text = item.text
    for words in sorted(notes[item.id], key=len, reverse=True):
        text = text.replace(words, f" {_GAP} ") if words in text else _cut_repeated_clauses(text, words)
    text = " ".join(_AROUND_GAP.sub(f" {_GAP} ", text).split()).strip(_LOOSE)
    if not tells_something(_IDLE.sub(" ", text).replace(_GAP, ".")):
        return replace(item, is_noted=True)
    return shorten_message(item, text)


def _cut_repeated_clauses(text: str, words: str) -> str:
    for clause in reversed(list(split_clauses(text))):
        if says_the_same(words, text[clause.start : clause.end]):
            text = f"{text[: clause.start]} {_GAP} {text[clause.end :]}"
    return text
