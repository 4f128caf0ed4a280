"""Fill the attributes that a product asks for with the whole words of matching notes, as observations.

The rules of beliefs decide: the later value wins, and a guess never replaces a value that the subject confirmed or the
product wrote. The message is the source, so that forgetting it removes the value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.provenance_and_verdict import Provenance
from profiles.services.tombstones import find_forgotten_texts
from snapshots.understanding.believing.apply_candidates import apply_message_candidates
from snapshots.understanding.believing.lesson import CandidateResult, Lesson, is_forgotten_message
from snapshots.understanding.candidate_gate import gate_candidates
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.drafting.note_drafts import NoteDraft
from snapshots.understanding.fields.config import MATCHING
from snapshots.understanding.fields.field_matching import FieldMatch, match_notes
from snapshots.understanding.fields.requested_fields import RequestedFields
from snapshots.understanding.statements.statements import build_utterance
from snapshots.understanding.values import Evidence, Extraction, FactCandidate, Utterance

# Part of the stable ids of filled values: a message delivered twice changes nothing.
FIELDS_VERSION = "fields-1"


@dataclass(frozen=True, slots=True)
class FilledField:
    """A field that a note fills, said at characters ``start`` to ``end``. The words of a corrected note stand in no
    message."""

    field: str
    text: str
    start: int
    end: int
    confidence: float


# A note is at most one sentence, which is longer than the values that are cut out of sentences.
WHOLE_NOTE_LIMITS = replace(EXTRACTION, max_value_chars=EXTRACTION.max_sentence_chars)

# The fields that messages fill, by message, in the order of the words.
FieldsFilled = dict[UUID, list[FilledField]]


def match_fields(drafts: Sequence[NoteDraft], requested_fields: RequestedFields) -> FieldsFilled:
    """Return which of ``requested_fields`` the drafted notes fill. No transaction may be open where any is asked.
    Without the encoder's files the result is empty."""
    read = [draft for draft in drafts if may_fill_field(draft)] if requested_fields else []
    if not read:
        return {}
    try:
        fits = match_notes([draft.snapshot.text for draft in read], requested_fields)
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(read), error=type(missing).__name__)
        return {}
    found: FieldsFilled = {}
    for draft, fit in zip(read, fits, strict=True):
        if fit.field:
            message_id = draft.snapshot.message_ids[-1]  # the one that puts a note right stands behind what it rights
            text, start = draft.snapshot.text, draft.details.span_start or 0
            end = draft.details.span_end or start + len(text)
            confidence = compute_value_confidence(fit, draft.snapshot.confidence)
            found.setdefault(message_id, []).append(FilledField(fit.field, text, start, end, confidence))
    return found


def may_fill_field(draft: NoteDraft) -> bool:
    return not draft.snapshot.masked


def compute_value_confidence(fit: FieldMatch, of_note: float) -> float:
    return round(min(fit.best_score, of_note, MATCHING.confidence), 2)


def fill_fields(
    lesson: Lesson, own_names: frozenset[str], filled_fields: Iterable[FilledField]
) -> list[CandidateResult]:
    """Write the fields that a message fills, in the open scope; return the result of each that had no record yet.
    Forgotten words fill nothing."""
    wanted = list(filled_fields)
    if not wanted or is_forgotten_message(lesson.message):
        return []
    forgotten = find_forgotten_texts(lesson.subject.id, [one.text for one in wanted])
    said = build_utterance(lesson.message)
    candidates = [_build_candidate(one, said) for one in wanted if one.text not in forgotten]
    verdicts = gate_candidates(
        candidates, cited={said.message_key: said}, own_names=own_names, config=WHOLE_NOTE_LIMITS
    )
    facts = tuple(one for one in verdicts.accepted if isinstance(one, FactCandidate))
    return apply_message_candidates(
        replace(lesson, extraction=Extraction(facts=facts, rejections=verdicts.rejected)), later_wins=True
    )


def _build_candidate(one: FilledField, utterance: Utterance) -> FactCandidate:
    quote = one.text if one.text in utterance.text else utterance.text[one.start : one.end]
    return FactCandidate(
        field=one.field,
        value=one.text,
        evidence=Evidence(utterance.message_key, quote, one.start),
        provenance=Provenance.OBSERVATION.value,
        confidence=one.confidence,
        # A field asked for later is read from the same message under a number of its own.
        origin=f"{FIELDS_VERSION}:{one.field}",
    )
