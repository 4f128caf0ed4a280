"""What tags and the records of acts on them keep of messages that go (row E8).

What taking an act on a tag back needs, its columns and its past, stands in the record of the act
(:class:`snapshots.models.MemoryAct`). A merged tag speaks the words of the messages behind both. All in the open scope,
with the messages and their links still there.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from profiles.models import Subject, Tag
from snapshots.erasure.learned.tag_details import Said, TagLoss, loss_of
from snapshots.erasure.words import Words
from snapshots.models import ActVerb, Lane, MemoryAct, Message, TagSource
from snapshots.selectors import with_words

WORDED = ("label", "poi_id", "address", "phone", "relation")
"""Columns of a tag that hold a text; ``aliases`` hold several."""


@dataclass(frozen=True, slots=True)
class TagsLeft:
    """What becomes of tags when messages go: which go too, and what others lose."""

    gone: set[UUID]
    losses: dict[UUID, TagLoss]


def tags_without(subject: Subject, removed: frozenset[UUID]) -> TagsLeft:
    """Return the tags that only the messages ``removed`` taught, and what others lose with them.

    A tag that was there before its messages was made by the product: it loses what a merge brought it, and what
    nothing but these messages said since.
    """
    links = TagSource.objects.filter(subject_id=subject.id)
    taught = links.filter(message_id__in=removed).order_by().values("memory_id")
    left = TagsLeft(set(), {})
    for tag in Tag.objects.filter(subject_id=subject.id, id__in=taught):
        behind = [link.message for link in links.filter(memory_id=tag.id).select_related("message")]
        is_own = tag.created_at < min(message.accepted_at for message in behind)
        if not is_own and {message.id for message in behind} <= removed:
            left.gone.add(tag.id)
            continue
        loss = loss_of(tag, Said.in_messages(behind, removed), _brought(tag) if is_own else None)
        if loss is None:
            left.gone.add(tag.id)
        elif loss:
            left.losses[tag.id] = loss
    return left


def said_in(subject_id: UUID, messages: Collection[UUID]) -> Words:
    """Return what these messages say."""
    rows = Message.objects.filter(subject_id=subject_id, id__in=messages).order_by()
    return Words.of(subject_id, [message.content for message in with_words(list(rows))])


def drop_tag_acts(
    subject_id: UUID, words: Words, *, tags: Collection[UUID] = (), messages: Collection[UUID] = ()
) -> int:
    """Delete the records of acts that keep columns of ``tags``, of tags that ``messages`` taught, or ``words``.

    Those on a tag that is gone go, too: nothing tells any more who taught it. Return how many went.
    """
    links = TagSource.objects.filter(subject_id=subject_id, message_id__in=messages).order_by()
    named = {*tags, *links.values_list("memory_id", flat=True)}
    held = set(Tag.objects.filter(subject_id=subject_id).order_by().values_list("id", flat=True)) - named
    refs = {str(one) for one in messages}
    acts = MemoryAct.objects.filter(subject_id=subject_id, lane=Lane.TAGS).exclude(before={})
    ids = [
        act.id
        for act in acts
        if act.memory_ref not in held
        or act.other_ref in named
        or not refs.isdisjoint(act.before.get("behind", ()))
        or any(words.quoted_by(text) for text in _texts_of(act))
    ]
    return MemoryAct.objects.filter(subject_id=subject_id, id__in=ids).delete()[0]


def _texts_of(act: MemoryAct) -> list[str]:
    rows = (*act.before.get("past", ()), *act.before.get("own_past", ()))
    past = [{row["detail"]: row["value"]} for row in rows]
    parts = [act.before.get(part, {}) for part in ("columns", "became", "gone")]
    return [text for columns in (*parts, *past) for text in texts_in(columns)]


def texts_in(columns: Mapping[str, Any]) -> list[str]:
    """Return the texts among columns of a tag."""
    return [*(str(columns[name]) for name in WORDED if columns.get(name)), *columns.get("aliases", ())]


def _brought(tag: Tag) -> Words:
    """Return what merges brought a tag that it did not say before."""
    acts = MemoryAct.objects.filter(subject_id=tag.subject_id, memory_ref=tag.id, verb=ActVerb.MERGED)
    kept = [act.before for act in acts if act.before]
    before = Words.of(tag.subject_id, [text for one in kept for text in texts_in(one["columns"])])
    gone = Words.of(tag.subject_id, [text for one in kept for text in texts_in(one["gone"])])
    return Words(tag.subject_id, gone.texts - before.texts)
