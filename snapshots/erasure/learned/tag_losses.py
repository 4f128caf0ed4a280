"""Losses of tags when messages go, and records of acts on tags that keep words of these messages.

A detail that only those messages said goes, now or in the tag's past; the value that it had replaced holds again, as if
the messages had never been said. Undoing an act needs the tag's columns and past, which stand in the record of the act
(:class:`snapshots.models.MemoryAct`); a merged tag holds words of the messages behind both. All in the open scope, with
the messages and their links still there.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from profiles.models import DetailName, Subject, Tag, TagDetail
from profiles.selectors import details_of
from profiles.services.tags.details import build_detail_place, empty_value
from snapshots.conversation_queries import add_archived_words
from snapshots.erasure.forgotten_word_copies import ForgottenWords
from snapshots.erasure.learned.unsupported_values import ValueHistory
from snapshots.models import ActVerb, MemoryAct, MemoryLane, Message, TagSource

# Columns of a tag that hold a text; ``aliases`` hold several.
TEXT_COLUMNS = ("label", "poi_id", "address", "phone", "relation")
# Details that are a text which a message may have said.
TEXT_DETAILS = (DetailName.LABEL, DetailName.ADDRESS, DetailName.PHONE, DetailName.RELATION)
ValueEnds = Mapping[UUID, tuple[datetime | None, UUID | None]]
# Returns whether a text goes; may also get the times at which it was said.
TextIsLost = Callable[..., bool]


@dataclass(frozen=True, slots=True)
class TagLoss:
    """The losses of a tag: ``columns`` as they become, values that go, and values that hold again (see
    ValueHistory.find_revived_values). ``lists`` are the lists of names, by row, that become shorter."""

    columns: Mapping[str, Any]
    gone: frozenset[UUID] = frozenset()
    heirs: ValueEnds = field(default_factory=dict)
    lists: Mapping[UUID, list[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.columns or self.gone or self.lists)


@dataclass(frozen=True, slots=True)
class MessagesBehindTag:
    """The texts of the messages behind a tag: those that go, with the times of saying, and those that stay."""

    lost: str
    kept: str
    lost_times: frozenset[datetime]

    @classmethod
    def split_by_removal(cls, behind: Sequence[Message], removed: Collection[UUID]) -> "MessagesBehindTag":
        texts = {True: "", False: ""}
        for message in add_archived_words(list(behind)):
            texts[message.id in removed] += f"\n{message.content}"
        times = frozenset(message.said_at for message in behind if message.id in removed)
        return cls(texts[True], texts[False], times)

    def is_said_only_in_removed(self, words: ForgottenWords) -> bool:
        """Return whether a message that goes has the words, and no message that stays has them."""
        return words.are_part_of(self.lost) and not words.are_part_of(self.kept)


@dataclass(frozen=True, slots=True)
class TagErasure:
    gone: set[UUID]
    losses: dict[UUID, TagLoss]


def find_tag_losses(subject: Subject, removed: frozenset[UUID]) -> TagErasure:
    """Return the tags that only the messages ``removed`` taught, and the losses of other tags.

    The product made a tag that existed before its messages: it loses the details from merges, and later ones that only
    these messages support.
    """
    links = TagSource.objects.filter(subject_id=subject.id)
    taught = links.filter(message_id__in=removed).order_by().values("memory_id")
    left = TagErasure(set(), {})
    for tag in Tag.objects.filter(subject_id=subject.id, id__in=taught):
        behind = [link.message for link in links.filter(memory_id=tag.id).select_related("message")]
        is_own = tag.created_at < min(message.accepted_at for message in behind)
        if not is_own and {message.id for message in behind} <= removed:
            left.gone.add(tag.id)
            continue
        loss = find_tag_loss(
            tag, MessagesBehindTag.split_by_removal(behind, removed), _find_texts_from_merges(tag) if is_own else None
        )
        if loss is None:
            left.gone.add(tag.id)
        elif loss:
            left.losses[tag.id] = loss
    return left


def load_words_of_messages(subject_id: UUID, messages: Collection[UUID]) -> ForgottenWords:
    rows = Message.objects.filter(subject_id=subject_id, id__in=messages).order_by()
    return ForgottenWords.from_texts(subject_id, [message.content for message in add_archived_words(list(rows))])


def delete_tag_acts(
    subject_id: UUID, words: ForgottenWords, *, tags: Collection[UUID] = (), messages: Collection[UUID] = ()
) -> int:
    """Delete the records of acts that keep columns of ``tags``, of tags that ``messages`` taught, or ``words``.

    Those on a tag that is gone go, too: nothing shows any more who taught it. Return how many went.
    """
    links = TagSource.objects.filter(subject_id=subject_id, message_id__in=messages).order_by()
    named = {*tags, *links.values_list("memory_id", flat=True)}
    held = set(Tag.objects.filter(subject_id=subject_id).order_by().values_list("id", flat=True)) - named
    refs = {str(one) for one in messages}
    acts = MemoryAct.objects.filter(subject_id=subject_id, lane=MemoryLane.TAGS).exclude(before={})
    ids = [
        act.id
        for act in acts
        if act.memory_ref not in held
        or act.other_ref in named
        or not refs.isdisjoint(act.before.get("behind", ()))
        or any(words.are_quoted_by(text) for text in _list_texts_of_act(act))
    ]
    return MemoryAct.objects.filter(subject_id=subject_id, id__in=ids).delete()[0]


def find_tag_in_acts(subject: Subject, tag_id: UUID) -> Tag | None:
    """Return a tag that is gone with the texts that acts of staff keep of it; None if no act keeps any."""
    own = MemoryAct.objects.filter(subject_id=subject.id, lane=MemoryLane.TAGS, memory_ref=tag_id)
    acts = list(own.exclude(before={}).order_by("created_at"))
    columns: dict[str, Any] = {}
    for act in acts:
        # What a merge calls gone is the other tag.
        parts = ("columns", "became") if act.verb == ActVerb.MERGED else ("columns", "became", "gone")
        columns |= {name: value for part in parts for name, value in act.before.get(part, {}).items()}
    names = {*TEXT_COLUMNS, "aliases"} & columns.keys()
    return Tag(id=tag_id, subject=subject, **{name: columns[name] for name in names}) if acts else None


def _list_texts_of_act(act: MemoryAct) -> list[str]:
    rows = (*act.before.get("past", ()), *act.before.get("own_past", ()))
    past = [{row["detail"]: row["value"]} for row in rows]
    parts = [act.before.get(part, {}) for part in ("columns", "became", "gone")]
    return [text for columns in (*parts, *past) for text in list_column_texts(columns)]


def list_column_texts(columns: Mapping[str, Any]) -> list[str]:
    return [*(str(columns[name]) for name in TEXT_COLUMNS if columns.get(name)), *columns.get("aliases", ())]


def _find_texts_from_merges(tag: Tag) -> ForgottenWords:
    acts = MemoryAct.objects.filter(subject_id=tag.subject_id, memory_ref=tag.id, verb=ActVerb.MERGED)
    kept = [act.before for act in acts if act.before]
    before = ForgottenWords.from_texts(
        tag.subject_id, [text for one in kept for text in list_column_texts(one["columns"])]
    )
    gone = ForgottenWords.from_texts(tag.subject_id, [text for one in kept for text in list_column_texts(one["gone"])])
    return ForgottenWords(tag.subject_id, gone.texts - before.texts)


def find_tag_loss(tag: Tag, messages: MessagesBehindTag, only: ForgottenWords | None) -> TagLoss | None:
    """Return the loss of a tag when messages go that alone said something; None when no label is left.

    An earlier label or an alias takes the place of a label that goes. ``only``: the product made the tag, and may have
    said anything but these words, and but the words said at the times of these messages alone.
    """

    def is_lost(text: str, times: Collection[datetime] = ()) -> bool:
        if not messages.is_said_only_in_removed(ForgottenWords.from_texts(tag.subject_id, [text])):
            return False
        return only is None or only.contain_whole(text) or (bool(times) and messages.lost_times.issuperset(times))

    rows = list(details_of(tag).order_by("valid_at", F("invalid_at").asc(nulls_last=True), "recorded_at"))
    columns: dict[str, Any] = {}
    gone: set[UUID] = set()
    heirs: dict[UUID, tuple[datetime | None, UUID | None]] = {}
    for name in TEXT_DETAILS:
        values = [row for row in rows if row.detail == name and row.version_of_id is None]
        lost = [row for row in values if is_lost(str(row.value), row.said_times) or _is_inferred(row, messages)]
        gone |= {row.id for row in lost}
        heirs |= ValueHistory(values, {}, ()).find_revived_values(lost)
        if lost or (not values and is_lost(getattr(tag, name))):
            columns[name] = _find_current_value([row for row in values if row not in lost], heirs, empty_value(name))
    aliases = [alias for alias in tag.aliases if not is_lost(alias)]
    if columns.get(DetailName.LABEL) == "":
        label = _find_free_alias(tag, aliases)
        if label is None:
            return None
        columns[DetailName.LABEL] = label
        aliases.remove(label)
    columns[DetailName.ALIASES] = aliases
    changed = {name: value for name, value in columns.items() if getattr(tag, name) != value}
    return TagLoss(changed, frozenset(gone), heirs, _shorten_lists(rows, is_lost))


def apply_tag_loss(tag: Tag, loss: TagLoss) -> Counter[str]:
    """Delete and shorten the details that a tag loses, and restore the values they replaced; return rows by table."""
    own, counts = details_of(tag), Counter[str]()
    for rows in (Q(version_of_id__in=loss.gone), Q(id__in=loss.gone)):
        counts["tag_detail"] += own.filter(rows).delete()[0]
    for heir, (until, successor) in loss.heirs.items():
        own.filter(id=heir).update(invalid_at=until, superseded_by_id=successor, version=F("version") + 1)
    for row_id, names in loss.lists.items():
        counts["tag_detail.value"] += own.filter(id=row_id).update(value=names, version=F("version") + 1)
    counts["tag_detail"] += own.filter(detail=DetailName.ALIASES, value=[]).delete()[0]
    label = loss.columns.get(DetailName.LABEL)
    if label is not None and build_detail_place(tag, DetailName.LABEL).current() is None:
        known = {"confidence": tag.confidence, "provenance": tag.provenance, "subject_id": tag.subject_id}
        TagDetail.objects.create(tag=tag, detail=DetailName.LABEL, value=label, valid_at=tag.created_at, **known)
    return counts


def delete_details(subject_id: UUID, tags: Collection[UUID]) -> int:
    rows = TagDetail.objects.filter(subject_id=subject_id, tag_id__in=tags)
    images = rows.filter(version_of__isnull=False).delete()[0]
    return images + rows.delete()[0]


def list_past_texts(tag: Tag) -> list[str]:
    values = details_of(tag).order_by().values_list("value", flat=True)
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return [text for text in texts if isinstance(text, str)]


def _is_inferred(row: TagDetail, messages: MessagesBehindTag) -> bool:
    """Return whether a relation was inferred from messages that go, without being one of their words ("ex-wife")."""
    is_worded = ForgottenWords.from_texts(row.subject_id, [str(row.value)]).are_part_of(
        f"{messages.lost}\n{messages.kept}"
    )
    return row.detail == DetailName.RELATION and not is_worded and messages.lost_times.issuperset(row.said_times)


def _find_current_value(values: Sequence[TagDetail], heirs: ValueEnds, nothing: Any) -> Any:
    for row in reversed([row for row in values if row.retired_at is None]):
        if (heirs[row.id][0] if row.id in heirs else row.invalid_at) is None:
            return row.value
    return nothing


def _shorten_lists(rows: Sequence[TagDetail], is_lost: TextIsLost) -> dict[UUID, list[str]]:
    lists = {row.id: row.value for row in rows if row.detail == DetailName.ALIASES}
    left = {row_id: [name for name in names if not is_lost(name)] for row_id, names in lists.items()}
    return {row_id: names for row_id, names in left.items() if names != lists[row_id]}


def _find_free_alias(tag: Tag, aliases: Sequence[str]) -> str | None:
    others = Tag.objects.filter(subject_id=tag.subject_id).exclude(id=tag.id).order_by()
    taken = ForgottenWords.from_texts(tag.subject_id, others.values_list("label", flat=True))
    return next((alias for alias in aliases if not taken.contain_whole(alias)), None)
