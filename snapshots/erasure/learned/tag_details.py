"""What the details of a tag lose with messages that go (row E8): values that only those said, now or earlier.

What a lost value had replaced holds again, as if the messages had never been said. In the open scope, with the messages
still there.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from profiles.models import DetailName, Tag, TagDetail
from profiles.selectors import details_of
from profiles.services.tags.details import detail_place, nothing_of
from snapshots.erasure.learned.value_history import ValueHistory
from snapshots.erasure.words import Words
from snapshots.models import Message
from snapshots.selectors import with_words

WORDED = (DetailName.LABEL, DetailName.ADDRESS, DetailName.PHONE, DetailName.RELATION)
"""Details that are a text which a message may have said."""
Ends = Mapping[UUID, tuple[datetime | None, UUID | None]]
IsLost = Callable[..., bool]
"""Returns whether a text goes; it may be told the times at which that was said."""


@dataclass(frozen=True, slots=True)
class TagLoss:
    """What a tag loses: ``columns`` as they become, values that go, and values that hold again (:class:`ValueHistory`).

    ``lists`` are the lists of names, by row, that are shorter then.
    """

    columns: Mapping[str, Any]
    gone: frozenset[UUID] = frozenset()
    heirs: Ends = field(default_factory=dict)
    lists: Mapping[UUID, list[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.columns or self.gone or self.lists)


@dataclass(frozen=True, slots=True)
class Said:
    """What the messages behind a tag say: those that go, with the times of saying, and those that stay."""

    lost: str
    kept: str
    lost_times: frozenset[datetime]

    @classmethod
    def in_messages(cls, behind: Sequence[Message], removed: Collection[UUID]) -> "Said":
        """Return what they say."""
        texts = {True: "", False: ""}
        for message in with_words(list(behind)):
            texts[message.id in removed] += f"\n{message.content}"
        times = frozenset(message.said_at for message in behind if message.id in removed)
        return cls(texts[True], texts[False], times)

    def only_lost(self, words: Words) -> bool:
        """Return whether the words stand in a message that goes and in none that stays."""
        return words.stand_in(self.lost) and not words.stand_in(self.kept)


def loss_of(tag: Tag, said: Said, only: Words | None) -> TagLoss | None:
    """Return what a tag loses with what only messages that go said; None when no label is left.

    Of a label that goes an earlier one or an alias takes the place. ``only``: the product made the tag, and may have
    said anything but this, and but what was said at the times of these messages alone.
    """

    def is_lost(text: str, times: Collection[datetime] = ()) -> bool:
        if not said.only_lost(Words.of(tag.subject_id, [text])):
            return False
        return only is None or only.say(text) or (bool(times) and said.lost_times.issuperset(times))

    rows = list(details_of(tag).order_by("valid_at", F("invalid_at").asc(nulls_last=True), "recorded_at"))
    columns: dict[str, Any] = {}
    gone: set[UUID] = set()
    heirs: dict[UUID, tuple[datetime | None, UUID | None]] = {}
    for name in WORDED:
        values = [row for row in rows if row.detail == name and row.version_of_id is None]
        lost = [row for row in values if is_lost(str(row.value), row.said_times) or _is_drawn(row, said)]
        gone |= {row.id for row in lost}
        heirs |= ValueHistory(values, {}, ()).heirs(lost)
        if lost or (not values and is_lost(getattr(tag, name))):
            columns[name] = _left([row for row in values if row not in lost], heirs, nothing_of(name))
    aliases = [alias for alias in tag.aliases if not is_lost(alias)]
    if columns.get(DetailName.LABEL) == "":
        label = _free_alias(tag, aliases)
        if label is None:
            return None
        columns[DetailName.LABEL] = label
        aliases.remove(label)
    columns[DetailName.ALIASES] = aliases
    changed = {name: value for name, value in columns.items() if getattr(tag, name) != value}
    return TagLoss(changed, frozenset(gone), heirs, _shorter_lists(rows, is_lost))


def lose_details(tag: Tag, loss: TagLoss) -> Counter[str]:
    """Delete and shorten the details that a tag loses, and have what they replaced hold again; count the rows."""
    own, counts = details_of(tag), Counter[str]()
    for rows in (Q(version_of_id__in=loss.gone), Q(id__in=loss.gone)):
        counts["tag_detail"] += own.filter(rows).delete()[0]
    for heir, (until, successor) in loss.heirs.items():
        own.filter(id=heir).update(invalid_at=until, superseded_by_id=successor, version=F("version") + 1)
    for row_id, names in loss.lists.items():
        counts["tag_detail.value"] += own.filter(id=row_id).update(value=names, version=F("version") + 1)
    counts["tag_detail"] += own.filter(detail=DetailName.ALIASES, value=[]).delete()[0]
    label = loss.columns.get(DetailName.LABEL)
    if label is not None and detail_place(tag, DetailName.LABEL).current() is None:
        known = {"confidence": tag.confidence, "provenance": tag.provenance, "subject_id": tag.subject_id}
        TagDetail.objects.create(tag=tag, detail=DetailName.LABEL, value=label, valid_at=tag.created_at, **known)
    return counts


def delete_details(subject_id: UUID, tags: Collection[UUID]) -> int:
    """Delete everything that the details of tags have been; return how many rows."""
    rows = TagDetail.objects.filter(subject_id=subject_id, tag_id__in=tags)
    images = rows.filter(version_of__isnull=False).delete()[0]
    return images + rows.delete()[0]


def texts_of_past(tag: Tag) -> list[str]:
    """Return the texts that a tag says or has said."""
    values = details_of(tag).order_by().values_list("value", flat=True)
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return [text for text in texts if isinstance(text, str)]


def _is_drawn(row: TagDetail, said: Said) -> bool:
    """Return whether what somebody is to the user was drawn from messages that go, in words of none ("ex-wife")."""
    is_worded = Words.of(row.subject_id, [str(row.value)]).stand_in(f"{said.lost}\n{said.kept}")
    return row.detail == DetailName.RELATION and not is_worded and said.lost_times.issuperset(row.said_times)


def _left(values: Sequence[TagDetail], heirs: Ends, nothing: Any) -> Any:
    """Return which of the values that stay holds now."""
    for row in reversed([row for row in values if row.retired_at is None]):
        if (heirs[row.id][0] if row.id in heirs else row.invalid_at) is None:
            return row.value
    return nothing


def _shorter_lists(rows: Sequence[TagDetail], is_lost: IsLost) -> dict[UUID, list[str]]:
    """Return the lists of names that lose some, in every state that they were held in."""
    lists = {row.id: row.value for row in rows if row.detail == DetailName.ALIASES}
    left = {row_id: [name for name in names if not is_lost(name)] for row_id, names in lists.items()}
    return {row_id: names for row_id, names in left.items() if names != lists[row_id]}


def _free_alias(tag: Tag, aliases: Sequence[str]) -> str | None:
    """Return an alias that no other tag has for its label."""
    others = Tag.objects.filter(subject_id=tag.subject_id).exclude(id=tag.id).order_by()
    taken = Words.of(tag.subject_id, others.values_list("label", flat=True))
    return next((alias for alias in aliases if not taken.say(alias)), None)
