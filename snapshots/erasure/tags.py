"""What tags and the records of acts on them keep of messages that go (row E8).

A tag has no history: what taking an act on it back needs, its columns, stands in the record of the act
(:class:`snapshots.models.MemoryAct`). A merged tag speaks the words of the messages behind both. All in the open scope,
with the messages and their links still there.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from profiles.models import Subject, Tag
from snapshots.erasure.words import Words
from snapshots.models import ActVerb, Lane, MemoryAct, Message, TagSource
from snapshots.selectors import with_words

DETAILS = ("address", "phone", "relation")
WORDED = ("label", "poi_id", *DETAILS)
"""Columns of a tag that hold a text; ``aliases`` hold several."""


def tags_without(subject: Subject, removed: frozenset[UUID]) -> tuple[set[UUID], dict[UUID, dict[str, Any]]]:
    """Return the tags that only the messages ``removed`` taught, and what becomes of the columns of others.

    A tag that was there before its messages was made by the product: it loses only what a merge brought it.
    """
    links = TagSource.objects.filter(subject_id=subject.id)
    taught = links.filter(message_id__in=removed).order_by().values("memory_id")
    gone: set[UUID] = set()
    changed: dict[UUID, dict[str, Any]] = {}
    for tag in Tag.objects.filter(subject_id=subject.id, id__in=taught):
        behind = [link.message for link in links.filter(memory_id=tag.id).select_related("message")]
        is_own = tag.created_at < min(message.accepted_at for message in behind)
        if not is_own and {message.id for message in behind} <= removed:
            gone.add(tag.id)
            continue
        changes = _left_of(tag, _Said.in_messages(behind, removed), _brought(tag) if is_own else None)
        if changes is None:
            gone.add(tag.id)
        elif changes:
            changed[tag.id] = changes
    return gone, changed


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
    return [text for part in ("columns", "became", "gone") for text in texts_in(act.before.get(part, {}))]


def texts_in(columns: Mapping[str, Any]) -> list[str]:
    """Return the texts among columns of a tag."""
    return [*(str(columns[name]) for name in WORDED if columns.get(name)), *columns.get("aliases", ())]


class _Said:
    """What the messages behind a tag say: those that go, and those that stay."""

    def __init__(self, lost: str, kept: str) -> None:
        self.lost, self.kept = lost, kept

    @classmethod
    def in_messages(cls, behind: Sequence[Message], removed: Collection[UUID]) -> "_Said":
        texts = {True: "", False: ""}
        for message in with_words(list(behind)):
            texts[message.id in removed] += f"\n{message.content}"
        return cls(texts[True], texts[False])

    def only_lost(self, words: Words) -> bool:
        """Return whether the words stand in a message that goes and in none that stays."""
        return words.stand_in(self.lost) and not words.stand_in(self.kept)


def _brought(tag: Tag) -> Words:
    """Return what merges brought a tag that it did not say before."""
    acts = MemoryAct.objects.filter(subject_id=tag.subject_id, memory_ref=tag.id, verb=ActVerb.MERGED)
    kept = [act.before for act in acts if act.before]
    before = Words.of(tag.subject_id, [text for one in kept for text in texts_in(one["columns"])])
    gone = Words.of(tag.subject_id, [text for one in kept for text in texts_in(one["gone"])])
    return Words(tag.subject_id, gone.texts - before.texts)


def _left_of(tag: Tag, said: _Said, only: Words | None) -> dict[str, Any] | None:
    """Return the columns that change as what only messages that go said leaves the tag; None when no label is left.

    Of a label that goes an alias takes the place. ``only``: nothing but this may go.
    """

    def is_lost(detail: str) -> bool:
        return said.only_lost(Words.of(tag.subject_id, [detail])) and (only is None or only.say(detail))

    changes: dict[str, Any] = {name: "" for name in DETAILS if is_lost(getattr(tag, name))}
    aliases = [alias for alias in tag.aliases if not is_lost(alias)]
    if is_lost(tag.label):
        others = Tag.objects.filter(subject_id=tag.subject_id).exclude(id=tag.id).order_by()
        taken = Words.of(tag.subject_id, others.values_list("label", flat=True))
        label = next((alias for alias in aliases if not taken.say(alias)), None)
        if label is None:
            return None
        changes["label"] = label
        aliases.remove(label)
    return changes | ({"aliases": aliases} if aliases != tag.aliases else {})
