"""Answers to our own asks: find the open ask that a message answers, by the assistant's question just before it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from django.db.models import Q

from memory_platform.kernel.keyword_terms import split_terms
from profiles.completeness import is_missing
from profiles.elicitation.answers import settle_ask
from profiles.models import Ask, Subject
from profiles.services.subject_lock import lock_subject
from snapshots.models import MessageRole
from snapshots.notes.outdated_note_questions import NOTE_ASK_PREFIX, settle_outdated_note
from snapshots.understanding.heard.bare_answers import (
    is_bare_answer,
    is_evasive,
    restate_answer,
    restate_offer,
    says_no,
    says_yes,
)
from snapshots.understanding.heard.remember_offers import is_consent, may_remember_offer, parse_offer
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching
from snapshots.understanding.statements.statements import HeardMessage
from snapshots.understanding.values import ExtractionContext, NearbyPeople

# An ask that was given out longer ago is no longer what the assistant's question is about.
ASKED_WITHIN = timedelta(hours=1)
_LOOSE = " .!。"
_LETTER = re.compile(r"[^\W\d_]")
# The assistant may reword our question; its turn must hold this share of the question's terms.
REWORDED = 0.5


@dataclass(frozen=True, slots=True)
class AskPattern:
    """How a key is asked for: words of the question, the question as slots know it, or a template that states the
    answer."""

    asks: re.Pattern[str]
    question: Mapping[str, str]
    states: Mapping[str, str]


ASK_PATTERNS = {
    key: AskPattern(re.compile(row["asks"], re.IGNORECASE), row.get("question", {}), row.get("states", {}))
    for key, row in tomllib.loads(Path(__file__).with_name("asks.toml").read_text(encoding="utf-8")).items()
}


def add_answered_asks(messages: Iterable[HeardMessage]) -> list[HeardMessage]:
    """Return messages with the ask of ours that each answers, in the open scope. One query when any message may
    answer."""
    everything = list(messages)
    may = [one for one in everything if _may_answer(one)]
    if not may:
        return everything
    conversations = {one.message.conversation.external_id for one in may}
    rows = Ask.objects.filter(
        subject_id__in={one.message.subject_id for one in may}, conversation__in=conversations, answered_at__isnull=True
    )
    asks = list(rows.filter(Q(key__in=list(ASK_PATTERNS)) | Q(key__startswith=NOTE_ASK_PREFIX)).order_by("-asked_at"))
    known = {one.message.id for one in may}
    return [_match_ask(one, asks) if one.message.id in known else one for one in everything]


def restate_ask_answer(heard: HeardMessage) -> str:
    """Return the statement of an answer to an ask without a slot: "ramen" to "What do you like to eat?" states "I like
    to eat ramen"; "" otherwise."""
    key, _, _ = heard.answered_ask.partition(":")
    asked = ASK_PATTERNS.get(key)
    if asked is None or not asked.states:
        return ""
    return asked.states[detect_rule_language(heard.message.content)].format(heard.message.content.strip(_LOOSE))


def find_slot_question(heard: HeardMessage) -> str:
    """Return the question that a message answers as slots know it: that of an ask, else the assistant's turn."""
    key, _, _ = heard.answered_ask.partition(":")
    asked = ASK_PATTERNS.get(key)
    if asked is not None and asked.question:
        said = heard.message.content
        put = said if _LETTER.search(said) or heard.previous is None else heard.previous.content
        return asked.question[detect_rule_language(put)]
    is_assistants = heard.previous is not None and heard.previous.role == MessageRole.ASSISTANT
    return heard.previous.content if is_assistants and heard.previous else ""


def build_extraction_context(
    names: frozenset[str], heard: HeardMessage | None, nearby: NearbyPeople
) -> ExtractionContext:
    """Return the context for reading slots: the question that the message may answer, people, and its statement as an
    answer."""
    question = find_slot_question(heard) if heard else ""
    stated = restate_ask_answer(heard) if heard else ""
    offer = parse_offer(question) or "" if heard and is_consent(heard.message.content, question) else ""
    if offer and may_remember_offer(offer):
        return ExtractionContext(names, question, nearby, restate_offer(offer), is_offered=True)
    if heard and question and not stated:
        stated = restate_answer(heard.message.content, question)
    return ExtractionContext(names, question or None, nearby, stated)


def settle_answered_ask(subject: Subject, heard: HeardMessage | None) -> None:
    """Close the ask that the subject answered, in the open scope, when its key is known now."""
    ask = _load_open_ask(subject, heard)
    if ask is not None and not is_missing(subject, ask.key):
        settle_ask(subject, ask, accepted=True)


def settle_note_ask(subject: Subject, heard: HeardMessage | None) -> bool:
    """Confirm or end the note that an ask was for, after a yes or no, in the open scope; return whether such a note
    exists."""
    if heard is None or not heard.answered_ask.startswith(NOTE_ASK_PREFIX):
        return False
    ask = _load_open_ask(subject, heard)
    if ask is not None:
        settle_outdated_note(subject, ask.key, says_yes(heard.message.content))
        settle_ask(subject, ask, accepted=True)
    return ask is not None


def _load_open_ask(subject: Subject, heard: HeardMessage | None) -> Ask | None:
    _, _, ask_id = heard.answered_ask.rpartition(":") if heard else ("", "", "")
    if not ask_id:
        return None
    lock_subject(subject)
    return Ask.objects.filter(subject_id=subject.id, id=UUID(ask_id), answered_at__isnull=True).first()


def _may_answer(one: HeardMessage) -> bool:
    previous = one.previous
    return (
        previous is not None
        and previous.role == MessageRole.ASSISTANT
        and is_bare_answer(one.message.content, previous.content)
        and not is_evasive(one.message.content)
    )


def _match_ask(one: HeardMessage, asks: Iterable[Ask]) -> HeardMessage:
    said = fold_for_matching(one.previous.content) if one.previous else ""
    for ask in asks:
        is_here = ask.subject_id == one.message.subject_id and ask.conversation == one.message.conversation.external_id
        age = one.message.accepted_at - ask.asked_at
        if is_here and timedelta(0) <= age <= ASKED_WITHIN and _is_question_of_ask(said, ask, one.message.content):
            return replace(one, answered_ask=f"{ask.key}:{ask.id}")
    return one


def _is_question_of_ask(question: str, ask: Ask, answer: str) -> bool:
    if not ask.key.startswith(NOTE_ASK_PREFIX):
        return ASK_PATTERNS[ask.key].asks.search(question) is not None
    wanted = set(split_terms(ask.question))
    is_put = len(wanted & set(split_terms(question))) >= REWORDED * len(wanted)
    return is_put and says_yes(answer) != says_no(answer)
