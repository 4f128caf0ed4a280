"""Memories that say a value which was wrong, though nobody learned it from them: what the assistant said, what the
user asked.

Only values that mean one thing wherever they stand are looked for: an address, a number, a sentence. A city or a word
such as "highway" stands in many memories that are right.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory_platform.kernel.text import to_comparable
from profiles.models import Tag
from profiles.services.value_claims import have_same_value
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import BeliefRow
from snapshots.models import Snapshot

# Shorter words occur anywhere: "no", "5".
MIN_LATIN_CHARS, MIN_HAN_CHARS = 3, 2
# What makes a value mean one thing: digits ("+1 503 555 0100"), a number among words ("12 Willow Lane"), or a sentence.
MIN_DIGITS, MIN_NUMBERED_WORDS, MIN_NUMBERED_HAN, MIN_WORDS, MIN_HAN = 6, 3, 4, 5, 8
COMMON_VALUES = frozenset({"yes", "true", "false"})
# Texts of one value, and parts of a text, that are looked for; the newest memories, that are read and returned.
MAX_TEXTS, MAX_READ, MAX_MENTIONS = 20, 2_000, 50
TAG_TEXTS = ("label", "address", "phone", "relation", "aliases")

_PARTS = re.compile(r"[,;、，；\n]\s*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NUMBERED = re.compile(r"\d\S{0,40}\s+\w.*")
# The road of a Chinese address stands behind the city and the district: "上海市浦东新区锦绣路100号".
_CHINESE_ROAD = re.compile(r"^.*[省市区县镇乡](?=[\u3400-\u9fff]{1,40}\d)")


@dataclass(frozen=True, slots=True)
class ReplacedValue:
    """A value that was corrected; ``new`` is "" if it only ended."""

    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A memory that says a replaced value; ``is_whole``: in all its parts, not only the road of an address."""

    memory: Snapshot
    is_whole: bool


def list_replaced_values(old: Any, new: Any = None) -> list[ReplacedValue]:
    """Return the texts of a value, or of a tag's columns, that another one does not have."""
    before, after = _list_texts(old), _list_texts(new)
    only = after[0] if len(before) == len(after) == 1 else ""
    return [ReplacedValue(text, only) for text in before if not any(have_same_value(text, one) for one in after)]


def list_replaced_columns(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[ReplacedValue]:
    """Return the texts of a tag's columns that were replaced; a column that ``new`` lacks has ended."""
    return [one for name in TAG_TEXTS for one in list_replaced_values(old.get(name), new.get(name))]


def list_values(learned: BeliefRow | Tag) -> list[ReplacedValue]:
    """Return the texts of a value as it is, as if all of it had ended."""
    if isinstance(learned, Tag):
        return list_replaced_columns({name: getattr(learned, name) for name in TAG_TEXTS}, {})
    return list_replaced_values(learned.value)


def find_mentions(
    subject_id: UUID,
    replaced: Sequence[ReplacedValue],
    beside: Iterable[UUID] = (),
    among: Iterable[UUID] | None = None,
) -> list[Mention]:
    """Return the memories in use that say a replaced value and not the new one, the newest first; those of ``beside``
    are left out, and all but those of ``among``, if it is there. One query."""
    sought = {one: _list_old_parts(one) for one in replaced[:MAX_TEXTS] if _means_one_thing(one.old)}
    if not sought:
        return []
    says = Q()
    for one in sought:
        says |= Q(text__icontains=_choose_search_word(one.old))
    rows = Snapshot.objects.filter(build_current_snapshot_condition(), says, subject_id=subject_id)
    rows = rows.exclude(id__in=list(beside)) if among is None else rows.filter(id__in=list(among))
    newest = rows.order_by("-position")[:MAX_READ]
    found = (_find_mention(row, sought) for row in newest)
    return list(islice(filter(None, found), MAX_MENTIONS))


def _find_mention(memory: Snapshot, sought: Mapping[ReplacedValue, Sequence[str]]) -> Mention | None:
    said = [one for one, parts in sought.items() if _mentions(memory.text, one, parts)]
    return Mention(memory, any(holds_whole_value(memory.text, one.old) for one in said)) if said else None


def _mentions(text: str, one: ReplacedValue, parts: Sequence[str]) -> bool:
    if not parts or (one.new and holds_whole_value(text, one.new)):
        return False
    # Beside "12 Willow Lane", its city tells nothing; without a number, only the whole value tells.
    return _holds_any(text, parts) if any(map(_has_digit, parts)) else holds_whole_value(text, one.old)


def holds_whole_value(text: str, value: str) -> bool:
    """Return whether a text has every part of a value."""
    form = to_comparable(text)
    return all(_contains_as_words(part, form) for part in _list_parts(value))


def holds_old_value(text: str, one: ReplacedValue) -> bool:
    """Return whether a text has a part of an old value that the new value does not have. "400 Harbor Street" is one of
    "400 Harbor Street, Portland" that became "88 Mill Avenue, Portland"."""
    return _holds_any(text, _list_old_parts(one))


def _holds_any(text: str, parts: Iterable[str]) -> bool:
    form = to_comparable(text)
    return any(_contains_as_words(part, form) for part in parts)


def _list_old_parts(one: ReplacedValue) -> list[str]:
    new = to_comparable(one.new)
    parts = [_cut_to_number(part) if _has_digit(part) else part for part in _list_parts(one.old)]
    telling = [part for part in parts if _is_telling(part) and not _contains_as_words(part, new)]
    numbered = [part for part in telling if _has_digit(part)]
    return numbered or telling  # beside "12 Willow Lane", a city tells nothing: other places are there, too


def _list_parts(value: str) -> list[str]:
    return list(islice(filter(None, map(to_comparable, _PARTS.split(value))), MAX_TEXTS))


def _cut_to_number(part: str) -> str:
    """Return "12 willow lane" of "my home is at 12 willow lane", "锦绣路100号" of "上海市浦东新区锦绣路100号"."""
    numbered = _NUMBERED.search(part)
    return numbered[0] if numbered else _CHINESE_ROAD.sub("", part)


def _choose_search_word(value: str) -> str:
    """Return the part of a value that a text must have whatever its writing: its longest number, else word."""
    words = re.findall(r"\d+" if _has_digit(value) else r"\w+", value)
    return max(words, key=len, default=value)


def _means_one_thing(value: str) -> bool:
    digits, han, words = len(re.findall(r"\d", value)), len(_HAN.findall(value)), len(value.split())
    if digits >= MIN_DIGITS or han >= MIN_HAN or words >= MIN_WORDS:
        return True
    return bool(digits) and (words >= MIN_NUMBERED_WORDS or han >= MIN_NUMBERED_HAN)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_telling(part: str) -> bool:
    least = MIN_HAN_CHARS if _HAN.search(part) else MIN_LATIN_CHARS
    return len(part) >= least and part not in COMMON_VALUES


def _contains_as_words(part: str, form: str) -> bool:
    """Return whether a text has a part as a whole: "1266" is not in "12667". Chinese has no spaces: only what belongs
    to a number or a Latin word ends there."""
    edge = "[0-9a-z]" if _HAN.search(part) else r"\w"
    before = rf"(?<!{edge})" if not _HAN.match(part) else ""
    after = rf"(?!{edge})" if not _HAN.match(part[-1:]) else ""
    return re.search(rf"{before}{re.escape(part)}{after}", form) is not None


def _list_texts(value: Any) -> list[str]:
    """Return the texts of a JSON value. Numbers, yes and no stand in memories about other things, too."""
    left = [value]
    texts: list[str] = []
    while left and len(texts) < MAX_TEXTS:  # not by recursion: a product's value may be nested deeply
        one = left.pop(0)
        if isinstance(one, Mapping):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and one.strip():
            texts.append(one)
    return texts
