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
from profiles.values import Provenance, Verdict
from snapshots.understanding.believing.applying import apply_candidate, as_json, target_of
from snapshots.understanding.believing.doubt import doubt_about, takes_over
from snapshots.understanding.believing.extract import EXTRACTOR_VERSION
from snapshots.understanding.believing.gate import holds_sensitive
from snapshots.understanding.believing.lessons import UNRESOLVED, Learned, Lesson, kind_of, proposal_of
from snapshots.understanding.believing.policy import EXTRACTION
from snapshots.understanding.values import Candidate, Evidence, PreferenceCandidate, ProfileFact, Rejection
from tenants.isolation import current_tenant_id

SENSITIVE = "sensitive"
ECHO = "echo"
# Reasons for verdicts of writes that give none: each candidate ends with a verdict and a reason.
REASONS = {
    Verdict.STORED: "new",
    Verdict.MERGED: "added",
    Verdict.SUPERSEDED: "replaced",
    Verdict.UNCHANGED: "duplicate",
}


def learn(lesson: Lesson, *, changes_only: bool = False, later_wins: bool = False) -> list[Learned]:
    """Apply the candidates of a lesson in the open scope; return the result of each that had no record yet.

    ``changes_only`` is the fast lane: it applies only urgent candidates, and leaves a correction without a current
    value to the worker. With ``later_wins`` nothing waits for review: the later value replaces one of the same
    provenance.
    """
    numbered = list(_numbered(lesson))
    urgent = urgent_in(lesson) if changes_only else []
    rows = CandidateRecord.objects.filter(subject_id=lesson.subject.id, id__in=[record for record, _ in numbered])
    known = set(rows.order_by().values_list("id", flat=True)) if numbered else set()
    results = []
    for wanted, found in numbered:
        if wanted in known or (changes_only and found not in urgent):
            continue
        if isinstance(found, Rejection):
            _keep_rejection(lesson, wanted, found)
            continue
        result = _decided(lesson, found, later_wins=later_wins)
        results.append(result)
        if not (changes_only and result.reason == UNRESOLVED):
            _keep_record(lesson, wanted, result)
    return results


def urgent_in(lesson: Lesson) -> list[Candidate]:
    """Return the corrections, other candidates of their sentences ("not X any more, I prefer Y"), and candidates that
    replace a belief ("I moved to Leeds"); in the open scope."""
    found = lesson.extraction
    changed = {one.statement for one in found.corrections if isinstance(one, PreferenceCandidate)}
    others: tuple[Candidate, ...] = (*found.facts, *found.preferences, *found.tags)
    beside = [one for one in others if isinstance(one, PreferenceCandidate) and one.statement in changed]
    return [*found.corrections, *(one for one in others if one in beside or takes_over(lesson.subject, one))]


def _decided(lesson: Lesson, found: Candidate, *, later_wins: bool) -> Learned:
    if lesson.echoes.hold(found.evidence.span):
        return Learned(found, target_of(found), Verdict.REJECTED, ECHO)
    doubt = "" if later_wins else doubt_about(lesson.subject, found)
    if doubt:
        return Learned(found, target_of(found), Verdict.PENDING, doubt)
    return apply_candidate(lesson, found)


def _numbered(lesson: Lesson) -> Iterator[tuple[UUID, Candidate | Rejection]]:
    """Corrections come first: a corrected value must not be learned again from the same words."""
    extraction = lesson.extraction
    found: list[tuple[bool, Candidate | Rejection]] = [(True, one) for one in extraction.corrections]
    stated: list[Candidate | Rejection] = [*extraction.facts, *extraction.preferences, *extraction.tags]
    found += [(False, one) for one in (*stated, *extraction.rejections)]
    counts = Counter[tuple[str, bool]]()
    for is_change, one in found:
        origin = _origin(one)
        # A correction is numbered by itself, because it depends on the current beliefs.
        parts = ("change", counts[origin, is_change]) if is_change else (counts[origin, is_change],)
        yield stable_id(origin, lesson.message.id, *parts), one
        counts[origin, is_change] += 1


def _origin(found: Candidate | Rejection) -> str:
    candidate = found.candidate if isinstance(found, Rejection) else found
    return (candidate.origin if candidate else "") or EXTRACTOR_VERSION


def _keep_record(lesson: Lesson, record: UUID, result: Learned) -> None:
    found = result.candidate
    _write_record(
        lesson,
        record,
        kind=kind_of(found),
        target=result.target,
        value=as_json(getattr(found, "value", None)),
        confidence=found.confidence,
        provenance=found.provenance,
        verdict=result.verdict,
        reason=result.reason or REASONS.get(result.verdict, ""),
        origin=_origin(found),
        sort=_sort(found),
        proposal=proposal_of(found, lesson.message.said_at) if result.verdict is Verdict.PENDING else None,
        **_place(found.evidence),
    )


def _keep_rejection(lesson: Lesson, record: UUID, refused: Rejection) -> None:
    """Record why a candidate was refused. Sensitive data, instructions and overlong values leave neither value nor
    target."""
    found = refused.candidate
    silent = found is None or refused.reason in {SENSITIVE, "instruction"} or holds_sensitive(found)
    silent = silent or any(len(text) > EXTRACTION.max_value_chars for text in (found.texts if found else ()))
    _write_record(
        lesson,
        record,
        kind=kind_of(found) if found else CandidateKind.PREFERENCE,
        value=None if silent or found is None else as_json(getattr(found, "value", None)),
        confidence=found.confidence if found else 0.0,
        provenance=found.provenance if found else Provenance.OBSERVATION,
        verdict=Verdict.REJECTED,
        reason=refused.reason,
        origin=_origin(refused),
        sort=_sort(found) if found else "",
        **({} if silent else _place(refused.evidence)),
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


def _place(evidence: Evidence) -> dict[str, int]:
    if evidence.start < 0 or not evidence.quote:
        return {}
    return {"quote_start": evidence.start, "quote_end": evidence.start + len(evidence.quote)}


def _sort(found: Candidate) -> str:
    if isinstance(found, PreferenceCandidate):
        return found.sort
    return "change" if isinstance(found, ProfileFact) and found.replaces else "explicit"
