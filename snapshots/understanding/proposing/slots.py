"""The gate of proposed slots: a whole phrase of the key's type that the user states of themselves, in a clause about
it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_platform.kernel.text import comparable
from profiles.values import Provenance
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import NOTING
from snapshots.understanding.fields.matching import fit_notes
from snapshots.understanding.grading.cues import has_cue
from snapshots.understanding.grading.reader import Grade
from snapshots.understanding.proposing.config import JUDGING, JudgingPolicy
from snapshots.understanding.proposing.passages import Said, find_words, is_asserted, is_quoted
from snapshots.understanding.proposing.shape import SLOT_KEYS, SLOTS_ASKED, ProposedSlot
from snapshots.understanding.reading import modality
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.people import find_person
from snapshots.understanding.slots.builders import SLOTS
from snapshots.understanding.slots.builders import Said as SlotWords
from snapshots.understanding.slots.lexicon import load_language
from snapshots.understanding.values import Candidate, Evidence, PreferenceCandidate, ProfileFact, Reason, TagCandidate

_PLACES = {"home_address": "home", "work_address": "work"}
# What is said of these may be denied: "I don't eat pork" is something to avoid.
_SHUNNED = frozenset({"dislikes", "avoid", "allergies", "diet"})
_DENIED = re.compile(r"\b(?:not?|never|without|nor|hardly)\b|n't\b|cannot\b|[不没别无]|戒")


@dataclass(frozen=True, slots=True)
class JudgedSlot:
    """A proposed slot as the candidates that its key's builder makes, or why it is refused.

    ``as_proposed`` is the model's own value, for the record.
    """

    as_proposed: ProfileFact
    candidates: tuple[Candidate, ...] = ()
    reason: Reason | None = None

    @property
    def clause(self) -> str:
        return self.as_proposed.evidence.quote


def judge_slots(
    said: Said, proposed: Sequence[ProposedSlot], *, message_key: str, origin: str, policy: JudgingPolicy = JUDGING
) -> list[JudgedSlot]:
    """Return the outcome of each slot proposed of a message, in their order. No transaction may be open.

    Raises EmbeddingUnavailable.
    """
    judged = [judge_slot(said, one, message_key, origin, policy) for one in proposed]
    texts = list(dict.fromkeys(one.clause for one in judged if one.reason is None))
    fits = dict(zip(texts, fit_notes(texts, SLOTS_ASKED), strict=True))
    return [
        replace(one, candidates=(), reason="unsupported")
        if one.reason is None and fits[one.clause].scores[one.as_proposed.field] < policy.fit_from
        else one
        for one in judged
    ]


def judge_slot(
    said: Said, slot: ProposedSlot, message_key: str, origin: str, policy: JudgingPolicy = JUDGING
) -> JudgedSlot:
    """Return a proposed slot as candidates, or why it is refused; whether its clause is about the slot is not
    checked."""
    place = find_words(said.spoken.text, slot.value)
    over = said.clauses_over(*place) if place else []
    by_model: dict[str, Any] = {
        "evidence": Evidence(message_key, "", -1),
        "provenance": Provenance.ANALYSIS.value,
        "confidence": policy.confidence,
        "origin": origin,
    }
    proposed = ProfileFact(slot.key, slot.value.strip(), **by_model)
    if slot.key not in SLOT_KEYS:
        return JudgedSlot(proposed, reason="schema")
    if place is None or len(over) != 1:
        return JudgedSlot(proposed, reason="evidence_missing")
    ((clause, grade),) = over
    by_model["evidence"] = Evidence(message_key, clause.text, clause.start)
    proposed = replace(proposed, **by_model)
    reason = reason_against_value(said, slot.key, place, clause, grade)
    built = [] if reason else _build(slot.key, said.spoken.text[slice(*place)], clause, by_model["evidence"])
    if not built:
        return JudgedSlot(proposed, reason=reason or "schema")
    return JudgedSlot(proposed, tuple(replace(one, **by_model) for one in built))


def is_known(candidate: Candidate, found: Iterable[Candidate]) -> bool:
    return any(
        _place_of(candidate) == _place_of(other)
        and (_share_words(candidate.evidence, other.evidence) or not set(candidate.texts).isdisjoint(other.texts))
        for other in found
    )


def reason_against_value(said: Said, key: str, place: tuple[int, int], clause: Clause, grade: Grade) -> Reason | None:
    """Return why the clause of a value does not state it of the user for good; None when it does."""
    form = matching_form(clause.text).lower()
    before = form[: place[1] - clause.start]
    if not is_asserted(said, clause) or is_quoted(said, *place):
        return "not_asserted"
    if modality.is_past(form) or modality.is_change(before) or modality.is_reported(form, len(before)):
        return "not_asserted"
    if key not in _SHUNNED and _DENIED.search(form):
        return "not_asserted"
    if modality.is_for_now(form) or grade.kind == "plan":
        return "one_off"
    start, end = said.sentence_of(clause)
    sentence = matching_form(said.spoken.text[start:end]).lower()
    is_own = clause.language == "zh" or has_cue("me", sentence) or has_cue("us", sentence)
    if not is_own or grade.other >= NOTING.other_from or _names_another(clause, place):
        return "not_the_subject"
    return None


def _names_another(clause: Clause, place: tuple[int, int]) -> bool:
    """Return whether a clause names somebody other than by the value itself: a city may look like a name."""
    person = find_person(clause.text, clause.language)
    value = comparable(clause.text[place[0] - clause.start : place[1] - clause.start])
    return person is not None and comparable(person.label) not in value


def _build(key: str, value: str, clause: Clause, evidence: Evidence) -> list[Candidate]:
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


def _share_words(one: Evidence, other: Evidence) -> bool:
    return one.start < other.span[1] and other.start < one.span[1]


def _place_of(candidate: Candidate) -> tuple[str, str]:
    match candidate:
        case ProfileFact():
            return "fact", candidate.field
        case PreferenceCandidate():
            return "preference", candidate.key or ""
        case TagCandidate():
            return "tag", comparable(candidate.label)
