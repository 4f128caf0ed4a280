"""Build the lesson of one message by patterns, without forgotten words and echoes."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

from profiles.models import ProfileFact, Subject
from profiles.services.tombstones import is_forgotten
from profiles.values import Provenance
from snapshots.echo.shown_memories import NOTHING_SHOWN, ShownBefore
from snapshots.models import Message
from snapshots.understanding.believing.extract import extract, sort_out
from snapshots.understanding.believing.held_values import Believed
from snapshots.understanding.believing.lessons import Lesson
from snapshots.understanding.config import NOTING
from snapshots.understanding.correcting.corrections import may_correct
from snapshots.understanding.statements.statements import utterance_of
from snapshots.understanding.values import Candidate, Evidence, Extraction, ExtractionContext, Rejection, Utterance

NOTHING = Extraction()


def lesson_of(
    subject: Subject,
    message: Message,
    context: ExtractionContext,
    shown: ShownBefore = NOTHING_SHOWN,
    *,
    believed: Believed,
    is_posted: bool = True,
) -> Lesson:
    """Return the candidates of a message and its corrections of current beliefs.

    Forgotten or pasted words only leave rejections. An unposted message is no row.
    """
    if may_correct(message.content):
        context = replace(context, held=believed.values(subject))
    echoes = shown.echoes(message)
    spoken = replace(utterance_of(message), text=echoes.unpasted(message.content))
    extraction = extract(spoken, context=context)
    if context.stated:
        extraction = with_stated(extraction, replace(spoken, text=context.stated), context)
    if echoes.pasted:
        # What was read from echoes leaves no values: the memory may have been forgotten since.
        whole = candidates_of(extract(utterance_of(message), context=context))
        echoed = (Rejection("echo", one.evidence) for one in whole if echoes.hold(one.evidence.span))
        extraction = replace(extraction, rejections=(*extraction.rejections, *echoed))
    if is_posted and extraction != NOTHING and is_forgotten_message(message):
        forgotten = (Rejection("forgotten", one.evidence) for one in candidates_of(extraction))
        extraction = Extraction(rejections=tuple(forgotten))
    conversation = message.conversation if is_posted else None
    return Lesson(subject, conversation, message, extraction, is_posted=is_posted, echoes=echoes)


def with_stated(extraction: Extraction, stated: Utterance, context: ExtractionContext) -> Extraction:
    more = extract(stated, context=ExtractionContext(context.own_names, held=context.held))
    said: dict[str, Any] = {"evidence": Evidence(stated.message_key, "", -1)}
    if context.is_offered:
        said |= {"provenance": Provenance.ANALYSIS.value, "confidence": NOTING.offered}
    return join_extractions(extraction, sort_out([replace(one, **said) for one in candidates_of(more)]))


def join_extractions(one: Extraction, other: Extraction) -> Extraction:
    return Extraction(
        facts=(*one.facts, *other.facts),
        preferences=(*one.preferences, *other.preferences),
        tags=(*one.tags, *other.tags),
        corrections=(*one.corrections, *other.corrections),
        rejections=(*one.rejections, *other.rejections),
    )


def candidates_of(extraction: Extraction) -> Iterator[Candidate]:
    yield from extraction.corrections
    yield from extraction.facts
    yield from extraction.preferences
    yield from extraction.tags


def own_names(subjects: Collection[Subject]) -> dict[UUID, frozenset[str]]:
    """Return, per subject, the names under which it speaks itself: the product's id and the profile's name."""
    facts = ProfileFact.objects.filter(
        subject__in=subjects, is_attribute=False, field="name", retired_at__isnull=True, invalid_at__isnull=True
    )
    called = {fact.subject_id: str(fact.value) for fact in facts}
    return {one.id: frozenset({one.external_id, called.get(one.id, one.external_id)}) for one in subjects}


def is_forgotten_message(message: Message) -> bool:
    """Return whether the subject had a message, or just its words, forgotten. One query in the open scope."""
    name = (message.conversation.external_id, message.external_id)
    return is_forgotten(message.subject_id, message.content, name)
