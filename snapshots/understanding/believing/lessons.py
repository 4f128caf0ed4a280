"""The candidates of one message, and the result of each; shared by all modules that write them."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from profiles.models import CandidateKind, Subject
from profiles.services.claims import Claim, make_learned_claim
from profiles.values import Provenance, Verdict
from snapshots.echo.detection import NO_ECHO, Echoes
from snapshots.models import Conversation, Message
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    Extraction,
    FactCandidate,
    PreferenceCandidate,
    TagCandidate,
)

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


def build_claim(lesson: Lesson, found: FactCandidate | PreferenceCandidate, value: Any, **details: Any) -> Claim:
    return make_learned_claim(
        value,
        provenance=Provenance(found.provenance),
        confidence=found.confidence,
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


def candidate_kind(found: Candidate) -> CandidateKind:
    match found:
        case FactCandidate():
            return CandidateKind.PROFILE
        case PreferenceCandidate():
            return CandidateKind.PREFERENCE
        case TagCandidate():
            return CandidateKind.TAG


def dump_candidate(found: Candidate, said_at: datetime) -> dict[str, Any]:
    """Return ``found`` as JSON, without its evidence, which stands in the message."""
    kind = next(name for name, made in _TYPES.items() if isinstance(found, made))
    fields = asdict(found)
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
