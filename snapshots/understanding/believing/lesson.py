"""The candidates of one message, by patterns and without forgotten words and echoes, and the result of each."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from profiles.models import CandidateKind, Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.tombstones import is_forgotten
from profiles.services.value_claims import Claim, make_learned_claim
from snapshots.echo.detection import NO_ECHO, Echoes
from snapshots.models import Conversation, Message
from snapshots.understanding.believing.candidate_extraction import extract_candidates, group_candidates
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.config import NOTING
from snapshots.understanding.correcting.value_correction_detection import may_correct
from snapshots.understanding.statements.shown_memories import NOTHING_SHOWN, ShownBySubject
from snapshots.understanding.statements.statements import build_utterance
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    Extraction,
    ExtractionContext,
    FactCandidate,
    PreferenceCandidate,
    Rejection,
    TagCandidate,
    Utterance,
)

NOTHING = Extraction()


# A correction that names no object, and no current value fits it.
UNRESOLVED = "object_unknown"
_TYPES: dict[str, type[Candidate]] = {
    "fact": FactCandidate,
    "preference": PreferenceCandidate,
    "tag": TagCandidate,
}
_TUPLES = ("value", "aliases")


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """The result of one candidate. ``memory_id`` is its row, None when it was rejected; ``kind`` is the kind of that
    row, which a correction without an object takes from the value that it changed."""

    candidate: Candidate
    target: str
    verdict: Verdict
    reason: str = ""
    memory_id: UUID | None = None
    kind: CandidateKind = CandidateKind.PREFERENCE


@dataclass(frozen=True, slots=True)
class Lesson:
    """One message with its subject, conversation and candidates. A message that ``is_posted`` is a row and becomes the
    source of its candidates. Its ``echoes`` teach nothing."""

    subject: Subject
    conversation: Conversation | None
    message: Message
    extraction: Extraction
    is_posted: bool = True
    echoes: Echoes = NO_ECHO


def build_claim(lesson: Lesson, candidate: FactCandidate | PreferenceCandidate, value: Any, **details: Any) -> Claim:
    return make_learned_claim(
        value,
        provenance=Provenance(candidate.provenance),
        confidence=candidate.confidence,
        said_at=lesson.message.said_at,
        message_ref=lesson.message.id,
        **details,
    )


def link_source(model: Any, lesson: Lesson, memory_id: UUID) -> None:
    """Make the lesson's message a source of a memory; ``model`` is the table of such links."""
    if not lesson.is_posted:
        return
    row = model(
        id=stable_id("source", memory_id, lesson.message.id),
        subject_id=lesson.subject.id,
        memory_id=memory_id,
        message_id=lesson.message.id,
    )
    model.objects.bulk_create([row], ignore_conflicts=True)


def get_candidate_kind(candidate: Candidate) -> CandidateKind:
    match candidate:
        case FactCandidate():
            return CandidateKind.PROFILE
        case PreferenceCandidate():
            return CandidateKind.PREFERENCE
        case TagCandidate():
            return CandidateKind.TAG


def dump_candidate(candidate: Candidate, said_at: datetime) -> dict[str, Any]:
    """Return ``candidate`` as JSON, without its evidence, which stands in the message."""
    kind = next(name for name, made in _TYPES.items() if isinstance(candidate, made))
    fields = asdict(candidate)
    del fields["evidence"]
    return {"type": kind, "said_at": said_at.isoformat(), **fields}


def load_candidate(proposal: dict[str, Any]) -> tuple[Candidate, datetime]:
    """Return the candidate of a stored proposal and when it was said. Raises KeyError, TypeError for other JSON."""
    fields = dict(proposal)
    made, said_at = _TYPES[fields.pop("type")], datetime.fromisoformat(fields.pop("said_at"))
    for name in _TUPLES:
        if isinstance(fields.get(name), list):
            fields[name] = tuple(fields[name])
    return made(evidence=Evidence("", "", -1), **fields), said_at


def extract_message_candidates(
    subject: Subject,
    message: Message,
    context: ExtractionContext,
    shown_prompts: ShownBySubject = NOTHING_SHOWN,
    *,
    belief_cache: BeliefCache,
    is_posted: bool = True,
) -> Lesson:
    """Return the candidates of a message and its corrections of current beliefs. Forgotten or pasted words only leave
    rejections. An unposted message is no row."""
    if may_correct(message.content):
        context = replace(context, current_values=belief_cache.list_values(subject))
    echoes = shown_prompts.find_echoes(message)
    spoken = replace(build_utterance(message), text=echoes.blank_pasted(message.content))
    extraction = extract_candidates(spoken, context=context)
    if context.restatement:
        extraction = _add_stated_candidates(extraction, replace(spoken, text=context.restatement), context)
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


def _add_stated_candidates(extraction: Extraction, restatement: Utterance, context: ExtractionContext) -> Extraction:
    more = extract_candidates(
        restatement, context=ExtractionContext(context.own_names, current_values=context.current_values)
    )
    said: dict[str, Any] = {"evidence": Evidence(restatement.message_key, "", -1)}
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
