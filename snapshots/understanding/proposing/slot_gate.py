"""The gate of proposed slots: a whole phrase of the key's type that the user states of themselves, in a clause about
it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_platform.kernel.text import to_comparable
from profiles.provenance_and_verdict import Provenance
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.person_mentions import find_person
from snapshots.understanding.fields.field_matching import match_notes
from snapshots.understanding.grading.clause_classifier import ClauseGrade
from snapshots.understanding.grading.clause_cues import has_cue
from snapshots.understanding.proposing.answer_schema import ASKED_SLOTS, SLOT_KEYS, ProposedSlot
from snapshots.understanding.proposing.config import JUDGING
from snapshots.understanding.proposing.model_quotes import GatedMessage, find_quote, is_asserted, is_in_quotes
from snapshots.understanding.reading import modality
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.slots.candidate_builders import SLOTS
from snapshots.understanding.slots.candidate_builders import RowMatch as SlotWords
from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    FactCandidate,
    PreferenceCandidate,
    RejectionReason,
    TagCandidate,
)

_PLACES = {"home_address": "home", "work_address": "work"}
# What is said of these may be denied: "I don't eat pork" is something to avoid.
_SHUNNED = frozenset({"dislikes", "avoid", "allergies", "diet"})
_DENIED = re.compile(r"\b(?:not?|never|without|nor|hardly)\b|n't\b|cannot\b|[不没别无]|戒")


@dataclass(frozen=True, slots=True)
class SlotVerdict:
    """A proposed slot as the candidates that its key's builder makes, or why it is refused. ``as_proposed`` is the
    model's own value, for the record."""

    as_proposed: FactCandidate
    candidates: tuple[Candidate, ...] = ()
    reason: RejectionReason | None = None

    @property
    def clause(self) -> str:
        return self.as_proposed.evidence.quote


def gate_slots(
    message: GatedMessage, proposed: Sequence[ProposedSlot], *, message_key: str, origin: str
) -> list[SlotVerdict]:
    """Return the outcome of each slot proposed of a message, in their order. No transaction may be open. Raises
    EmbeddingUnavailable."""
    judged = [gate_slot(message, one, message_key, origin) for one in proposed]
    texts = list(dict.fromkeys(one.clause for one in judged if one.reason is None))
    fits = dict(zip(texts, match_notes(texts, ASKED_SLOTS), strict=True))
    return [
        replace(one, candidates=(), reason="unsupported")
        if one.reason is None and fits[one.clause].scores[one.as_proposed.field] < JUDGING.fit_from
        else one
        for one in judged
    ]


def gate_slot(message: GatedMessage, slot: ProposedSlot, message_key: str, origin: str) -> SlotVerdict:
    """Return a proposed slot as candidates, or why it is refused; whether its clause is about the slot is not
    checked."""
    place = find_quote(message.spoken.text, slot.value)
    over = message.list_clauses(*place) if place else []
    by_model: dict[str, Any] = {
        "evidence": Evidence(message_key, "", -1),
        "provenance": Provenance.ANALYSIS.value,
        "confidence": JUDGING.confidence,
        "origin": origin,
    }
    proposed = FactCandidate(slot.key, slot.value.strip(), **by_model)
    if slot.key not in SLOT_KEYS:
        return SlotVerdict(proposed, reason="schema")
    if place is None or len(over) != 1:
        return SlotVerdict(proposed, reason="evidence_missing")
    ((clause, grade),) = over
    by_model["evidence"] = Evidence(message_key, clause.text, clause.start)
    proposed = replace(proposed, **by_model)
    reason = find_value_refusal(message, slot.key, place, clause, grade)
    built = (
        [] if reason else _build_candidates(slot.key, message.spoken.text[slice(*place)], clause, by_model["evidence"])
    )
    if not built:
        return SlotVerdict(proposed, reason=reason or "schema")
    return SlotVerdict(proposed, tuple(replace(one, **by_model) for one in built))


def is_known_candidate(candidate: Candidate, candidates: Iterable[Candidate]) -> bool:
    return any(
        _get_slot_place(candidate) == _get_slot_place(other)
        and (
            (candidate.evidence.start < other.evidence.span[1] and other.evidence.start < candidate.evidence.span[1])
            or not set(candidate.value_texts).isdisjoint(other.value_texts)
        )
        for other in candidates
    )


def find_value_refusal(
    message: GatedMessage, key: str, place: tuple[int, int], clause: Clause, grade: ClauseGrade
) -> RejectionReason | None:
    """Return why the clause of a value does not state it of the user for good; None when it does."""
    form = fold_for_matching(clause.text).lower()
    before = form[: place[1] - clause.start]
    if not is_asserted(message, clause) or is_in_quotes(message, *place):
        return "not_asserted"
    if modality.describes_past(form) or modality.describes_change(before) or modality.is_reported(form, len(before)):
        return "not_asserted"
    if key not in _SHUNNED and _DENIED.search(form):
        return "not_asserted"
    if modality.is_for_now(form) or grade.kind == "plan":
        return "one_off"
    start, end = message.sentence_span(clause)
    sentence = fold_for_matching(message.spoken.text[start:end]).lower()
    is_own = clause.language == "zh" or has_cue("me", sentence) or has_cue("us", sentence)
    if not is_own or grade.other >= NOTING.other_from or _names_somebody_else(clause, place):
        return "not_the_subject"
    return None


def _names_somebody_else(clause: Clause, place: tuple[int, int]) -> bool:
    """Return whether a clause names somebody other than by the value itself: a city may look like a name."""
    person = find_person(clause.text, clause.language)
    value = to_comparable(clause.text[place[0] - clause.start : place[1] - clause.start])
    return person is not None and to_comparable(person.label) not in value


def _build_candidates(key: str, value: str, clause: Clause, evidence: Evidence) -> list[Candidate]:
    slot = SLOTS["place" if key in _PLACES else key]
    values: Mapping[str, str] = {"value": value, "label": _PLACES[key]} if key in _PLACES else {"value": value}
    said = SlotWords(
        values=values,
        words=load_language(clause.language).words,
        context=clause.text,
        statement=mask_sensitive(clause.text)[0],
        evidence=evidence,
        sort=slot.sort,
        confidence=JUDGING.confidence,
    )
    return list(slot.build(slot, said))


def _get_slot_place(candidate: Candidate) -> tuple[str, str]:
    match candidate:
        case FactCandidate():
            return "fact", candidate.field
        case PreferenceCandidate():
            return "preference", candidate.key or ""
        case TagCandidate():
            return "tag", to_comparable(candidate.label)
