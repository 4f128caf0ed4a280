"""Build the lesson of one message by patterns, without forgotten words and echoes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from profiles.models import Subject
from profiles.services.tombstones import is_forgotten
from profiles.values import Provenance
from snapshots.models import Message
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.believing.extraction import extract_candidates, group_candidates
from snapshots.understanding.believing.lessons import Lesson
from snapshots.understanding.config import NOTING
from snapshots.understanding.correcting.value_corrections import may_correct
from snapshots.understanding.statements.shown_memories import NOTHING_SHOWN, ShownBySubject
from snapshots.understanding.statements.statements import build_utterance
from snapshots.understanding.values import Candidate, Evidence, Extraction, ExtractionContext, Rejection, Utterance

NOTHING = Extraction()


def build_message_lesson(
    subject: Subject,
    message: Message,
    context: ExtractionContext,
    shown: ShownBySubject = NOTHING_SHOWN,
    *,
    believed: BeliefCache,
    is_posted: bool = True,
) -> Lesson:
    """Return the candidates of a message and its corrections of current beliefs. Forgotten or pasted words only leave
    rejections. An unposted message is no row."""
    if may_correct(message.content):
        context = replace(context, held=believed.list_values(subject))
    echoes = shown.find_echoes(message)
    spoken = replace(build_utterance(message), text=echoes.blank_pasted(message.content))
    extraction = extract_candidates(spoken, context=context)
    if context.stated:
        extraction = _add_stated_candidates(extraction, replace(spoken, text=context.stated), context)
    if echoes.pasted:
        # What was read from echoes leaves no values: the memory may have been forgotten since.
        whole = list_candidates(extract_candidates(build_utterance(message), context=context))
        echoed = (Rejection("echo", one.evidence) for one in whole if echoes.covers(one.evidence.span))
        extraction = replace(extraction, rejections=(*extraction.rejections, *echoed))
    if is_posted and extraction != NOTHING and is_forgotten_message(message):
        forgotten = (Rejection("forgotten", one.evidence) for one in list_candidates(extraction))
        extraction = Extraction(rejections=tuple(forgotten))
    conversation = message.conversation if is_posted else None
    return Lesson(subject, conversation, message, extraction, is_posted=is_posted, echoes=echoes)


def _add_stated_candidates(extraction: Extraction, stated: Utterance, context: ExtractionContext) -> Extraction:
    more = extract_candidates(stated, context=ExtractionContext(context.own_names, held=context.held))
    said: dict[str, Any] = {"evidence": Evidence(stated.message_key, "", -1)}
    if context.is_offered:
        said |= {"provenance": Provenance.ANALYSIS.value, "confidence": NOTING.offered}
    return join_extractions(extraction, group_candidates([replace(one, **said) for one in list_candidates(more)]))


def join_extractions(one: Extraction, other: Extraction) -> Extraction:
    return Extraction(
        facts=(*one.facts, *other.facts),
        preferences=(*one.preferences, *other.preferences),
        tags=(*one.tags, *other.tags),
        corrections=(*one.corrections, *other.corrections),
        rejections=(*one.rejections, *other.rejections),
    )


def list_candidates(extraction: Extraction) -> Iterator[Candidate]:
    yield from extraction.corrections
    yield from extraction.facts
    yield from extraction.preferences
    yield from extraction.tags


def is_forgotten_message(message: Message) -> bool:
    """Return whether the subject had a message, or just its words, forgotten. One query in the open scope."""
    name = (message.conversation.external_id, message.external_id)
    return is_forgotten(message.subject_id, message.content, name)
