"""From gated candidates to profile facts, preferences and tags: each is applied once and ends with a verdict.

Each result is recorded under a stable id (message, extractor version, number), so that a second delivery, or the
worker's pass after the fast lane, skips it.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from profiles.models import Candidate as CandidateRecord
from profiles.models import CandidateKind
from profiles.provenance_and_verdict import Provenance, Verdict
from snapshots.understanding.believing.candidate_doubts import find_doubt, replaces_belief
from snapshots.understanding.believing.candidate_extraction import EXTRACTOR_VERSION
from snapshots.understanding.believing.lesson import (
    UNRESOLVED,
    CandidateResult,
    Lesson,
    dump_candidate,
    get_candidate_kind,
)
from snapshots.understanding.believing.store_candidate import build_target_path, make_value_json, store_candidate
from snapshots.understanding.candidate_gate import is_sensitive_candidate
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.values import Candidate, Evidence, FactCandidate, PreferenceCandidate, Rejection
from tenants.isolation import current_tenant_id

SENSITIVE = "sensitive"
ECHO = "echo"
# Reasons for verdicts of writes without a reason: each candidate ends with a verdict and a reason.
REASONS = {
    Verdict.STORED: "new",
    Verdict.MERGED: "added",
    Verdict.SUPERSEDED: "replaced",
    Verdict.UNCHANGED: "duplicate",
}


def apply_message_candidates(
    lesson: Lesson, *, changes_only: bool = False, later_wins: bool = False
) -> list[CandidateResult]:
    """Apply the candidates of a lesson in the open scope; return the result of each that had no record yet.

    ``changes_only`` is the fast lane: it applies only urgent candidates, and leaves a correction without a current
    value to the worker. With ``later_wins`` nothing waits for review: the later value replaces one of the same
    provenance.
    """
    numbered = list(_number_candidates(lesson))
    urgent = list_urgent_candidates(lesson) if changes_only else []
    rows = CandidateRecord.objects.filter(subject_id=lesson.subject.id, id__in=[record for record, _ in numbered])
    known = set(rows.order_by().values_list("id", flat=True)) if numbered else set()
    results = []
    for wanted, found in numbered:
        if wanted in known or (changes_only and found not in urgent):
            continue
        if isinstance(found, Rejection):
            _record_rejection(lesson, wanted, found)
            continue
        result = _decide_candidate(lesson, found, later_wins=later_wins)
        results.append(result)
        if not (changes_only and result.reason == UNRESOLVED):
            _record_result(lesson, wanted, result)
    return results


def list_urgent_candidates(lesson: Lesson) -> list[Candidate]:
    """Return the corrections, other candidates of their sentences ("not X any more, I prefer Y"), and candidates that
    replace a belief ("I moved to Leeds"); in the open scope."""
    found = lesson.extraction
    changed = {one.statement for one in found.corrections if isinstance(one, PreferenceCandidate)}
    others: tuple[Candidate, ...] = (*found.facts, *found.preferences, *found.tags)
    beside = [one for one in others if isinstance(one, PreferenceCandidate) and one.statement in changed]
    return [*found.corrections, *(one for one in others if one in beside or replaces_belief(lesson.subject, one))]


def _decide_candidate(lesson: Lesson, candidate: Candidate, *, later_wins: bool) -> CandidateResult:
    if lesson.echoes.covers(candidate.evidence.span):
        return CandidateResult(candidate, build_target_path(candidate), Verdict.REJECTED, ECHO)
    doubt = "" if later_wins else find_doubt(lesson.subject, candidate)
    if doubt:
        return CandidateResult(candidate, build_target_path(candidate), Verdict.PENDING, doubt)
    return store_candidate(lesson, candidate)


def _number_candidates(lesson: Lesson) -> Iterator[tuple[UUID, Candidate | Rejection]]:
    """Corrections come first: a corrected value must not be learned again from the same words."""
    extraction = lesson.extraction
    found: list[tuple[bool, Candidate | Rejection]] = [(True, one) for one in extraction.corrections]
    stated: list[Candidate | Rejection] = [*extraction.facts, *extraction.preferences, *extraction.tags]
    found += [(False, one) for one in (*stated, *extraction.rejections)]
    counts = Counter[tuple[str, bool]]()
    for is_change, one in found:
        origin = _find_origin(one)
        # A correction is numbered by itself, because it depends on the current beliefs.
        parts = ("change", counts[origin, is_change]) if is_change else (counts[origin, is_change],)
        yield stable_id(origin, lesson.message.id, *parts), one
        counts[origin, is_change] += 1


def _find_origin(finding: Candidate | Rejection) -> str:
    candidate = finding.candidate if isinstance(finding, Rejection) else finding
    return (candidate.origin if candidate else "") or EXTRACTOR_VERSION


def _record_result(lesson: Lesson, record: UUID, result: CandidateResult) -> None:
    found = result.candidate
    _write_record(
        lesson,
        record,
        kind=get_candidate_kind(found),
        target=result.target,
        value=make_value_json(getattr(found, "value", None)),
        confidence=found.confidence,
        provenance=found.provenance,
        verdict=result.verdict,
        reason=result.reason or REASONS.get(result.verdict, ""),
        origin=_find_origin(found),
        sort=_classify_candidate(found),
        proposal=dump_candidate(found, lesson.message.said_at) if result.verdict is Verdict.PENDING else None,
        **_build_quote_span(found.evidence),
    )


def _record_rejection(lesson: Lesson, record: UUID, refused: Rejection) -> None:
    """Record why a candidate was refused. Sensitive data, instructions and overlong values leave neither value nor
    target."""
    found = refused.candidate
    silent = found is None or refused.reason in {SENSITIVE, "instruction"} or is_sensitive_candidate(found)
    silent = silent or any(len(text) > EXTRACTION.max_value_chars for text in (found.value_texts if found else ()))
    _write_record(
        lesson,
        record,
        kind=get_candidate_kind(found) if found else CandidateKind.PREFERENCE,
        value=None if silent or found is None else make_value_json(getattr(found, "value", None)),
        confidence=found.confidence if found else 0.0,
        provenance=found.provenance if found else Provenance.OBSERVATION,
        verdict=Verdict.REJECTED,
        reason=refused.reason,
        origin=_find_origin(refused),
        sort=_classify_candidate(found) if found else "",
        **({} if silent else _build_quote_span(refused.evidence)),
    )


def _write_record(lesson: Lesson, record: UUID, **fields: Any) -> None:
    row = CandidateRecord(
        tenant_id=current_tenant_id(),
        id=record,
        subject_id=lesson.subject.id,
        message_ref=lesson.message.id,
        **fields,
    )
    CandidateRecord.objects.bulk_create([row], ignore_conflicts=True)


def _build_quote_span(evidence: Evidence) -> dict[str, int]:
    if evidence.start < 0 or not evidence.quote:
        return {}
    return {"quote_start": evidence.start, "quote_end": evidence.start + len(evidence.quote)}


def _classify_candidate(candidate: Candidate) -> str:
    if isinstance(candidate, PreferenceCandidate):
        return candidate.sort
    return "change" if isinstance(candidate, FactCandidate) and candidate.replaces else "explicit"
