"""Leave out candidates that a context holds already, or must not hold."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from memory_platform.kernel.caches import TextCache
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.values import DecisionReason, MemoryItem
from snapshots.embedding.near_duplicates import normalise_saying


@dataclass(frozen=True, slots=True)
class ContextContents:
    """A context's contents: keys of its messages, (lane, id) of the prefix's facts, and the hashes of
    their words."""

    message_keys: frozenset[str] = frozenset()
    facts: frozenset[tuple[str, str]] = frozenset()
    texts: frozenset[bytes] = frozenset()


@dataclass(slots=True)
class _SeenItems:
    ids: set[tuple[str, str]] = field(default_factory=set)
    texts: set[bytes] = field(default_factory=set)


def normalise_words(text: str) -> str:
    """Return a text as it is compared with others: without case, width, kinds of breaks, and the last break."""
    return normalise_saying(text).rstrip(" .,!;:")


def _hash_words(text: str) -> bytes:
    return blake2b(normalise_words(text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


# Returns what is equal for texts with the same words. It holds no text, and each turn compares the same memories again.
hash_words = TextCache(_hash_words, DEFAULT_CONTEXT.texts_remembered)


def list_value_entries(slot: MemoryItem) -> Sequence[str]:
    """Return the folded entries of a preference's value; none for other slots, and none where one is a bare number,
    because that names nothing."""
    if slot.lane != "preferences":
        return ()
    entries = [one.strip() for one in normalise_words(slot.text.partition(": ")[2]).split(",")]
    return entries if all(len(one) > 1 and not one.isdecimal() for one in entries) else ()


def are_entries_named(entries: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether folded texts name each of the entries, of which there must be one."""
    return bool(entries) and all(any(one in text for text in texts) for one in entries)


def is_said_in_window(item: MemoryItem, message_keys: frozenset[str]) -> bool:
    """Return whether all source messages of a snapshot are among ``message_keys``. Facts of a profile stay."""
    return item.lane == "snapshots" and bool(item.message_keys) and item.message_keys <= message_keys


def screen_items(
    best_first: Sequence[MemoryItem], present: ContextContents
) -> tuple[list[MemoryItem], list[tuple[MemoryItem, DecisionReason]]]:
    """Return the items worth a place, best first, and the others with the reason."""
    seen = _SeenItems()
    kept: list[MemoryItem] = []
    refused: list[tuple[MemoryItem, DecisionReason]] = []
    for item in best_first:
        said = hash_words(item.text) if item.lane == "snapshots" else None
        reason = _find_refusal(item, said, present, seen)
        if reason is None:
            kept.append(item)
            seen.ids.add((item.lane, item.id))
            if said is not None:
                seen.texts.add(said)
        else:
            refused.append((item, reason))
    return kept, refused


def _find_refusal(
    item: MemoryItem, text: bytes | None, present: ContextContents, seen: _SeenItems
) -> DecisionReason | None:
    if item.is_refused:
        return DecisionReason.UNTRUSTED_INSTRUCTION
    if is_said_in_window(item, present.message_keys):
        return DecisionReason.DUPLICATE_OF_WINDOW
    if (item.lane, item.id) in present.facts or text in present.texts:
        return DecisionReason.DUPLICATE_OF_PROFILE
    if item.is_noted or (item.lane, item.id) in seen.ids or text in seen.texts:
        return DecisionReason.DUPLICATE_OF_MEMORY
    return None
