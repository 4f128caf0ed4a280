"""Which memories tell a value, of those that were made of the message which it was learned from."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from memory_platform.kernel.text import to_comparable, to_singular
from profiles.models import Tag
from profiles.services.quantities import is_measured
from snapshots.lifecycle.staff_actions.memory_actions import BeliefRow
from snapshots.models import NoteSlot, Snapshot
from snapshots.notes.slot_links import KEYS

# Texts and numbers of one value that are looked for: a list that a person fills in has no more entries.
MAX_LEAVES = 200


def choose_telling_origins(learned: BeliefRow | Tag, origins: Sequence[Snapshot]) -> list[Snapshot]:
    """Return those origins that tell the value: they name it, or hold the words that it was read from. What else the
    same message said ("I'm Ada") says nothing of the value, and stays right when the value is wrong. One query."""
    slot_id = learned.id if isinstance(learned, Tag) else learned.value_id
    links = NoteSlot.objects.filter(**{KEYS[type(learned)]: slot_id}, subject_id=learned.subject_id).order_by()
    read_from = set(links.values_list("snapshot_id", flat=True))
    quotes = [to_comparable(one.text) for one in origins if one.id in read_from]
    words = [form for word in _list_value_words(learned) for form in {to_comparable(word), to_singular(word)} if form]
    return [
        one
        for one in origins
        if any(quote in to_comparable(one.text) for quote in quotes)
        or any(_names_as_words(to_comparable(one.text), word) for word in words)
    ]


def _list_value_words(learned: BeliefRow | Tag) -> list[str]:
    if isinstance(learned, Tag):
        told = [learned.label, learned.address, learned.phone, learned.relation, *learned.aliases]
        return [to_comparable(one) for one in told if one]
    return [to_comparable(str(one)) for one in islice(_list_leaves(learned.value), MAX_LEAVES)]


def _list_leaves(value: Any) -> Iterator[str | float]:
    """Yield the texts and numbers of a JSON value. Yes and no are no words of it, and neither is a number's unit."""
    left = [value]
    while left:  # not by recursion: a product's value may be nested more deeply than Python calls
        one = left.pop()
        if isinstance(one, dict):
            left += [one["value"]] if is_measured(one) else one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str | int | float) and not isinstance(one, bool):
            yield one


def _names_as_words(said: str, word: str) -> bool:
    """Return whether a text has a word as a whole: "Ann" is not in "Anna", nor 12 in 2012. Chinese has no
    spaces: only Latin letters and digits beside a word belong to it."""
    after = "[0-9]" if word[-1:].isdigit() else "[a-z0-9]"
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:e?s)?(?!{after})", said) is not None
