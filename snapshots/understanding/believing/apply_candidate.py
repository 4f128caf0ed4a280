"""Apply one gated candidate to the profile, a preference or a tag, with its message as the source."""

from typing import Any

from profiles.models import CandidateKind
from profiles.services.preferences import change_list_preference, record_preference, remove_from_opposite
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.relatives import find_kin_label, update_emergency_number
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.values import Provenance, Verdict
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.believing.apply_correction import apply_correction
from snapshots.understanding.believing.lessons import UNRESOLVED, CandidateResult, Lesson, build_claim, link_source
from snapshots.understanding.values import Candidate, FactCandidate, MeasuredValue, PreferenceCandidate, TagCandidate


def store_candidate(lesson: Lesson, candidate: Candidate) -> CandidateResult:
    """Write one candidate in the open scope; return where it went and the verdict."""
    match candidate:
        case FactCandidate():
            return _store_fact(lesson, candidate)
        case PreferenceCandidate():
            return _store_preference(lesson, candidate)
        case TagCandidate():
            return _store_tag(lesson, candidate)


def _store_fact(lesson: Lesson, fact: FactCandidate) -> CandidateResult:
    name = FactName(fact.field, is_attribute=fact.is_attribute)
    verdict = patch_profile(lesson.subject, [FactChange(name, build_claim(lesson, fact, fact.value), fact.mode)])[0]
    kind = CandidateKind.PROFILE
    if verdict.row is None:
        return CandidateResult(fact, name.path, verdict.verdict, verdict.reason, kind=kind)
    link_source(ProfileFactSource, lesson, verdict.row.id)
    return CandidateResult(fact, name.path, verdict.verdict, verdict.reason, verdict.row.id, kind)


def _store_preference(lesson: Lesson, found: PreferenceCandidate) -> CandidateResult:
    corrected = apply_correction(lesson, found) if found.sort == "change" else None
    if corrected is not None:
        return corrected
    if found.category is None or found.key is None:
        return CandidateResult(found, "", Verdict.REJECTED, UNRESOLVED)
    path, claim = (
        (found.category, found.key),
        build_claim(lesson, found, make_value_json(found.value), statement=found.statement),
    )
    target = "/".join(path)
    added, removed = _list_changes(found)
    if found.mode == "set":
        outcome = record_preference(lesson.subject, *path, claim)
    else:
        outcome = change_list_preference(lesson.subject, path, claim, add=added, remove=removed)
    row = outcome.row
    if row is None:
        return CandidateResult(found, target, outcome.verdict, outcome.reason)
    link_source(PreferenceSource, lesson, row.id)
    if row.is_current and found.mode in {"add", "replace"}:
        claim = build_claim(lesson, found, make_value_json(found.value))
        for opposite in remove_from_opposite(lesson.subject, row.key, claim, added):
            link_source(PreferenceSource, lesson, opposite.id)
    return CandidateResult(found, target, outcome.verdict, outcome.reason, row.id)


def _list_changes(found: PreferenceCandidate) -> tuple[list[Any], list[Any]]:
    # A flag stays a flag: "True" would not be found in `quiet: true`.
    said: list[Any] = list(found.value) if isinstance(found.value, tuple) else [found.value]
    if found.mode == "remove":
        return [], said
    return said, [found.replaces] if found.mode == "replace" and found.replaces else []


def _store_tag(lesson: Lesson, found: TagCandidate) -> CandidateResult:
    is_kin = found.label == found.relation
    label = find_kin_label(lesson.subject, found.label) if is_kin else found.label
    details = {
        "kind": found.kind,
        "address": found.address,
        "phone": found.phone,
        "relation": found.relation if label == found.label else None,  # 老爸 is the 爸爸 who is known
        "aliases": list(found.aliases) or None,
    }
    draft = TagDraft(
        label,
        details,
        Provenance(found.provenance),
        found.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    if outcome.verdict is not Verdict.REJECTED:
        link_source(TagSource, lesson, outcome.tag.id)
        for other in update_emergency_number(lesson.subject, draft, outcome.tag):
            link_source(TagSource, lesson, other.id)
    return CandidateResult(found, outcome.tag.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG)


def build_target_path(found: Candidate) -> str:
    """Return where a candidate would stand: a field, ``category/key`` or a label; "" where no object is named."""
    match found:
        case FactCandidate():
            return FactName(found.field, is_attribute=found.is_attribute).path
        case PreferenceCandidate():
            return f"{found.category}/{found.key}" if found.category and found.key else ""
        case TagCandidate():
            return found.label


def make_value_json(value: Any) -> Any:
    if isinstance(value, MeasuredValue):
        return value.to_json()
    return list(value) if isinstance(value, tuple) else value
