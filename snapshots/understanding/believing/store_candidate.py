"""Apply one gated candidate to the profile, a preference or a tag, with its message as the source; a correction
replaces or ends the value that it names. In the open scope."""

from typing import Any

from profiles.models import CandidateKind, Preference, ProfileFact, Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.beliefs import retract_belief
from profiles.services.preferences import (
    build_preference_place,
    change_list_preference,
    record_preference,
    remove_from_opposite,
)
from profiles.services.profile import FactChange, FactName, Mode, patch_profile
from profiles.services.quantities import complete_unit
from profiles.services.tags.same_person_labels import find_kin_label, update_emergency_number
from profiles.services.tags.tags import TagDraft, patch_tag, upsert_tag
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.believing.current_values import StoredValue, find_values
from snapshots.understanding.believing.lesson import (
    UNRESOLVED,
    CandidateResult,
    Lesson,
    build_claim,
    link_source,
)
from snapshots.understanding.correcting.value_matching import MatchLevel, match_value
from snapshots.understanding.values import (
    Candidate,
    CurrentValue,
    FactCandidate,
    MeasuredValue,
    PreferenceCandidate,
    TagCandidate,
)


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


def _store_preference(lesson: Lesson, candidate: PreferenceCandidate) -> CandidateResult:
    corrected = apply_correction(lesson, candidate) if candidate.sort == "change" else None
    if corrected is not None:
        return corrected
    if candidate.category is None or candidate.key is None:
        return CandidateResult(candidate, "", Verdict.REJECTED, UNRESOLVED)
    path, claim = (
        (candidate.category, candidate.key),
        build_claim(lesson, candidate, make_value_json(candidate.value), statement=candidate.statement),
    )
    target = "/".join(path)
    added, removed = _list_changes(candidate)
    if candidate.mode == "set":
        outcome = record_preference(lesson.subject, *path, claim)
    else:
        outcome = change_list_preference(lesson.subject, path, claim, add=added, remove=removed)
    row = outcome.row
    if row is None:
        return CandidateResult(candidate, target, outcome.verdict, outcome.reason)
    link_source(PreferenceSource, lesson, row.id)
    if row.is_current and candidate.mode in {"add", "replace"}:
        claim = build_claim(lesson, candidate, make_value_json(candidate.value))
        for opposite in remove_from_opposite(lesson.subject, row.key, claim, added):
            link_source(PreferenceSource, lesson, opposite.id)
    return CandidateResult(candidate, target, outcome.verdict, outcome.reason, row.id)


def _list_changes(candidate: PreferenceCandidate) -> tuple[list[Any], list[Any]]:
    # A flag stays a flag: "True" would not be found in `quiet: true`.
    said: list[Any] = list(candidate.value) if isinstance(candidate.value, tuple) else [candidate.value]
    if candidate.mode == "remove":
        return [], said
    return said, [candidate.replaces] if candidate.mode == "replace" and candidate.replaces else []


def _store_tag(lesson: Lesson, candidate: TagCandidate) -> CandidateResult:
    is_kin = candidate.label == candidate.relation
    label = find_kin_label(lesson.subject, candidate.label) if is_kin else candidate.label
    details = {
        "kind": candidate.kind,
        "address": candidate.address,
        "phone": candidate.phone,
        "relation": candidate.relation if label == candidate.label else None,  # 老爸 is the 爸爸 who is known
        "aliases": list(candidate.aliases) or None,
    }
    draft = TagDraft(
        label,
        details,
        Provenance(candidate.provenance),
        candidate.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    if outcome.verdict is not Verdict.REJECTED:
        link_source(TagSource, lesson, outcome.tag.id)
        for other in update_emergency_number(lesson.subject, draft, outcome.tag):
            link_source(TagSource, lesson, other.id)
    return CandidateResult(
        candidate, outcome.tag.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG
    )


def build_target_path(candidate: Candidate) -> str:
    """Return where a candidate would stand: a field, ``category/key`` or a label; "" where no object is named."""
    match candidate:
        case FactCandidate():
            return FactName(candidate.field, is_attribute=candidate.is_attribute).path
        case PreferenceCandidate():
            return f"{candidate.category}/{candidate.key}" if candidate.category and candidate.key else ""
        case TagCandidate():
            return candidate.label


def make_value_json(value: Any) -> Any:
    if isinstance(value, MeasuredValue):
        return value.to_json()
    return list(value) if isinstance(value, tuple) else value


def apply_correction(lesson: Lesson, candidate: PreferenceCandidate) -> CandidateResult | None:
    """Replace or end the value that a correction names, wherever it stands; return the first result, None when no
    current value is meant."""
    new = str(candidate.value) if candidate.replaces else None
    results = [_correct_value(lesson, candidate, one, new) for one in _find_meant_values(lesson.subject, candidate)]
    return next((one for one in results if one.memory_id), results[0] if results else None)


def _find_meant_values(subject: Subject, candidate: PreferenceCandidate) -> list[StoredValue]:
    old = candidate.replaces or candidate.value_texts[0]

    def is_meant(value: CurrentValue) -> bool:
        return candidate.key in {None, value.key} and match_value(old, value.text) is MatchLevel.WHOLE

    return find_values(subject, is_meant)


def _correct_value(
    lesson: Lesson, candidate: PreferenceCandidate, stored_value: StoredValue, new: str | None
) -> CandidateResult:
    row = stored_value.row
    if isinstance(row, Preference):
        return _correct_preference(lesson, candidate, stored_value, row, _merge_corrected_value(row.value, new))
    if isinstance(row, ProfileFact):
        return _correct_fact(lesson, candidate, stored_value, row, _merge_corrected_value(row.value, new))
    if new is None:  # no news of a tag leaves it as it is: what is over is set to nothing
        tag = patch_tag(lesson.subject, row, {stored_value.value.key: ""}, valid_at=lesson.message.said_at)
        link_source(TagSource, lesson, tag.id)
        return CandidateResult(candidate, row.label, Verdict.SUPERSEDED, "", tag.id, CandidateKind.TAG)
    draft = TagDraft(
        row.label,
        {stored_value.value.key: new},
        Provenance(candidate.provenance),
        candidate.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    link_source(TagSource, lesson, outcome.tag.id)
    return CandidateResult(candidate, row.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG)


def _merge_corrected_value(old: Any, new: str | None) -> Any:
    return new if new is None or isinstance(old, list) else complete_unit(old, new)


def _correct_preference(
    lesson: Lesson, candidate: PreferenceCandidate, stored_value: StoredValue, row: Preference, value: Any
) -> CandidateResult:
    path, claim = (row.category, row.key), build_claim(lesson, candidate, value, statement=candidate.statement)
    target = f"{row.category}/{row.key}"
    if stored_value.is_entry:
        added = [] if value is None else [value]
        outcome = change_list_preference(lesson.subject, path, claim, add=added, remove=[stored_value.value.text])
    elif value is None:
        ended = retract_belief(build_preference_place(lesson.subject, *path), at=lesson.message.said_at)
        if ended is None:
            return CandidateResult(candidate, target, Verdict.UNCHANGED)
        link_source(PreferenceSource, lesson, ended.id)
        return CandidateResult(candidate, target, Verdict.MERGED, "", ended.id)
    else:
        outcome = record_preference(lesson.subject, *path, claim)
    if outcome.row is None:
        return CandidateResult(candidate, target, outcome.verdict, outcome.reason)
    link_source(PreferenceSource, lesson, outcome.row.id)
    return CandidateResult(candidate, target, outcome.verdict, outcome.reason, outcome.row.id)


def _correct_fact(
    lesson: Lesson, candidate: PreferenceCandidate, stored_value: StoredValue, row: ProfileFact, value: Any
) -> CandidateResult:
    name = FactName(row.field, is_attribute=row.is_attribute)
    old = (
        [FactChange(name, build_claim(lesson, candidate, stored_value.value.text), "remove")]
        if stored_value.is_entry
        else []
    )
    mode: Mode = "append" if stored_value.is_entry else "overwrite"
    new = [] if value is None else [FactChange(name, build_claim(lesson, candidate, value), mode)]
    ended = [] if old or new else [name]
    verdict = patch_profile(lesson.subject, [*old, *new], remove=ended, at=lesson.message.said_at)[-1]
    if verdict.row is None:
        return CandidateResult(candidate, name.path, verdict.verdict, verdict.reason, kind=CandidateKind.PROFILE)
    link_source(ProfileFactSource, lesson, verdict.row.id)
    return CandidateResult(candidate, name.path, verdict.verdict, verdict.reason, verdict.row.id, CandidateKind.PROFILE)
