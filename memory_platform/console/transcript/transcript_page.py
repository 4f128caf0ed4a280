"""One page of a transcript: turns oldest first, each with the memories learned from it and the answers made at it.

Pages are cut by the order of messages, so that a page of a long conversation costs as much as one of a short one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.text import capfirst

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import build_change_address, parse_uuid, render_value
from memory_platform.console.transcript.answers import (
    LARGE_BESIDE_COUNTS,
    AnswerLine,
    count_used_memories,
    describe_answer,
    place_answers,
)
from memory_platform.console.transcript.learned_memories import LearnedMemory, load_learned_memories
from memory_platform.console.transcript.message_links import MESSAGE_PARAMETER, make_turn_anchor
from snapshots.conversation_queries import add_archived_words, list_messages
from snapshots.feedback.config import LOOP
from snapshots.models import Conversation, Message, Receipt
from snapshots.scheduled_job_registry import load_purge_policy

BEFORE, AFTER = "before", "after"
# Messages of a page, and those of them that come before the one that a link names.
MAX_TURNS, TURNS_BEFORE = 50, 15
# Memories that are shown beside one message.
MAX_LEARNED = 8
# Answers that are read for a page: products may request several contexts for one message.
MAX_ANSWERS = 200
MAX_SEQ = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a page. ``day``: its day where another one begins. ``missing``: messages before it that are no
    longer stored. ``calls``: calls of tools as HTML."""

    anchor: str
    role: str
    speaker: str
    name: str
    day: date | None
    said: str
    text: str
    calls: str
    missing: int
    is_linked: bool
    was_archived: bool
    is_remembered: bool
    learned: Sequence[LearnedMemory]
    more_learned: int
    answers: Sequence[AnswerLine]
    address: str
    message_id: UUID


@dataclass(frozen=True, slots=True)
class Transcript:
    """One page of a transcript. ``older`` and ``newer`` are addresses, "" at either end. ``missing_at_end``: messages
    after the last turn that are no longer stored. ``is_link_broken``: the message that was asked for is not there."""

    turns: Sequence[Turn]
    older: str
    newer: str
    newest: str
    missing_at_end: int
    is_link_broken: bool
    kept_days: int


@dataclass(frozen=True, slots=True)
class PageCut:
    """The messages of a page, and the one before and after it, if there are such."""

    messages: Sequence[Message]
    before: Message | None
    after: Message | None
    linked: UUID | None = None


def build_transcript(conversation: Conversation, parameters: Mapping[str, str]) -> Transcript:
    """Return the page that an address asks for: by a message, or before or after a place; by default the newest."""
    cut = cut_page(conversation, parameters)
    messages = add_archived_words(cut.messages)
    learned = load_learned_memories(conversation.subject_id, [one.id for one in messages])
    answers = _load_answers(conversation, cut)
    page = build_change_address(Conversation, conversation.pk)
    last = messages[-1].seq if messages else 0
    return Transcript(
        turns=list(_render_turns(cut, learned, answers)),
        older=f"{page}?{BEFORE}={messages[0].seq}" if cut.before else "",
        newer=f"{page}?{AFTER}={last}" if cut.after else "",
        newest=page,
        missing_at_end=0 if cut.after else max(0, conversation.next_seq - 1 - last),
        is_link_broken=MESSAGE_PARAMETER in parameters and cut.linked is None,
        kept_days=load_purge_policy().messages // timedelta(days=1),
    )


def cut_page(conversation: Conversation, parameters: Mapping[str, str]) -> PageCut:
    """Return the messages of the page. At most three queries, whatever the length of the conversation."""
    own = list_messages(conversation)
    linked_id = parse_uuid(parameters.get(MESSAGE_PARAMETER, ""))
    linked = own.filter(pk=linked_id).only("seq").first() if linked_id else None
    after, before = _parse_seq(parameters.get(AFTER)), _parse_seq(parameters.get(BEFORE))
    if linked is not None:
        earlier = _load_earlier(own, linked.seq, TURNS_BEFORE)
        return _cut(earlier, _load_later(own, linked.seq - 1, MAX_TURNS), TURNS_BEFORE, linked.pk)
    if after is not None:
        later = _load_later(own, after, MAX_TURNS)
        if len(later) > MAX_TURNS:
            return _cut(_load_earlier(own, later[0].seq, 0), later, 0)
    if after is not None or before is None:
        return _cut(_load_earlier(own, MAX_SEQ, MAX_TURNS), [], MAX_TURNS)
    earlier = _load_earlier(own, before, MAX_TURNS)
    return _cut(earlier, _load_later(own, before - 1, MAX_TURNS), MAX_TURNS)


def _load_earlier(own: QuerySet[Message], seq: int, most: int) -> list[Message]:
    """Return the last messages before a place, oldest first, with one more than ``most``."""
    return list(own.filter(seq__lt=seq).order_by("-seq")[: most + 1])[::-1]


def _load_later(own: QuerySet[Message], seq: int, most: int) -> list[Message]:
    """Return the first messages after a place, with one more than ``most``."""
    return list(own.filter(seq__gt=seq).order_by("seq")[: most + 1])


def _cut(earlier: list[Message], later: list[Message], most_earlier: int, linked: UUID | None = None) -> PageCut:
    """Return the page of both parts. Either has one message more than the page takes, if there are so many."""
    before = earlier[0] if len(earlier) > most_earlier else None
    first = earlier[1:] if before else earlier
    room = MAX_TURNS - len(first)
    return PageCut([*first, *later[:room]], before, later[room] if len(later) > room else None, linked)


def _parse_seq(text: str | None) -> int | None:
    """Return a place in a conversation; None for anything else."""
    is_number = text is not None and text.isascii() and text.isdecimal()
    return min(int(text[:20]), MAX_SEQ) if is_number and text else None


def _load_answers(conversation: Conversation, cut: PageCut) -> dict[UUID, list[AnswerLine]]:
    """Return the answers made at the messages of a page. At most three queries."""
    if not cut.messages:
        return {}
    around = [one for one in (cut.before, *cut.messages, cut.after) if one is not None]
    receipts = sorted(_load_receipts(conversation, cut), key=lambda one: (one.created_at, one.pk))
    placed = place_answers(around, receipts)
    counts = count_used_memories(receipts, conversation.subject_id)
    return {turn: [describe_answer(one, counts) for one in made] for turn, made in placed.items()}


def _load_receipts(conversation: Conversation, cut: PageCut) -> list[Receipt]:
    """Return the answers around a page's messages, and those of its time that name no conversation: the first turn of
    a conversation may be posted after its context was requested."""
    own = Receipt.objects.filter(subject_id=conversation.subject_id).defer(*LARGE_BESIDE_COUNTS)
    own = own.order_by("-created_at", "-id")
    named = own.filter(conversation=conversation)
    if cut.before:
        named = named.filter(created_at__gte=cut.before.accepted_at)
    if cut.after:
        named = named.filter(created_at__lte=cut.after.accepted_at)
    found = list(named[:MAX_ANSWERS])
    first, last = cut.messages[0], cut.messages[-1]
    if cut.before is None:
        unnamed = own.filter(
            conversation__isnull=True,
            created_at__gte=first.accepted_at - LOOP.answer_within,
            created_at__lte=last.accepted_at,
        )
        found += unnamed[:MAX_ANSWERS]
    return found


def _render_turns(
    cut: PageCut, learned: Mapping[UUID, Sequence[LearnedMemory]], answers: Mapping[UUID, Sequence[AnswerLine]]
) -> Iterator[Turn]:
    last_seq = cut.before.seq if cut.before else 0
    day = None
    for message in cut.messages:
        taught = [one for one in learned.get(message.id, ()) if not one.only_repeats(message.content or "")]
        said_on = message.said_at.date()
        yield Turn(
            anchor=make_turn_anchor(message.id),
            role=message.role,
            speaker=capfirst(message.get_role_display()),
            name=message.name or "",
            day=said_on if said_on != day else None,
            said=render_time_ago(message.said_at),
            text=message.content,
            calls=_render_calls(message.tool_calls),
            missing=max(0, message.seq - last_seq - 1),
            is_linked=message.id == cut.linked,
            was_archived=message.archived,
            is_remembered=message.remember,
            learned=taught[:MAX_LEARNED],
            more_learned=max(0, len(taught) - MAX_LEARNED),
            answers=answers.get(message.id, ()),
            address=build_change_address(Message, message.id),
            message_id=message.id,
        )
        last_seq, day = message.seq, said_on


def _render_calls(calls: Any) -> str:
    return render_value(calls) if calls else ""
