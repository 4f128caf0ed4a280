"""Apply one gated candidate to the profile, a preference or a tag, with its message as the source; a correction
replaces or ends the value that it names. In the open scope."""

from typing import Any

from profiles.models import CandidateKind, Preference, ProfileFact, Subject
from profiles.services.beliefs import retract_belief
from profiles.services.preferences import (
    change_list_preference,
    preference_place,
    record_preference,
    remove_from_opposite,
)
from profiles.services.profile import FactChange, FactName, Mode, patch_profile
from profiles.services.quantities import complete_unit
from profiles.services.tags.relatives import find_kin_label, update_emergency_number
from profiles.services.tags.tags import TagDraft, patch_tag, upsert_tag
from profiles.values import Provenance, Verdict
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.believing.current_values import StoredValue, find_values
from snapshots.understanding.believing.lessons import UNRESOLVED, CandidateResult, Lesson, build_claim, link_source
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


def apply_correction(lesson: Lesson, found: PreferenceCandidate) -> CandidateResult | None:
    """Replace or end the value that a correction names, wherever it stands; return the first result, None when no
    current value is meant."""
    new = str(found.value) if found.replaces else None
    results = [_correct_value(lesson, found, one, new) for one in _find_meant_values(lesson.subject, found)]
    return next((one for one in results if one.memory_id), results[0] if results else None)


def _find_meant_values(subject: Subject, found: PreferenceCandidate) -> list[StoredValue]:
    old = found.replaces or found.value_texts[0]

    def is_meant(value: CurrentValue) -> bool:
        return found.key in {None, value.key} and match_value(old, value.text) is MatchLevel.WHOLE

    return find_values(subject, is_meant)


def _correct_value(lesson: Lesson, found: PreferenceCandidate, held: StoredValue, new: str | None) -> CandidateResult:
    row = held.row
    if isinstance(row, Preference):
        return _correct_preference(lesson, found, held, row, _merge_corrected_value(row.value, new))
    if isinstance(row, ProfileFact):
        return _correct_fact(lesson, found, held, row, _merge_corrected_value(row.value, new))
    if new is None:  # no news of a tag leaves it as it is: what is over is set to nothing
        tag = patch_tag(lesson.subject, row, {held.value.key: ""}, valid_at=lesson.message.said_at)
        link_source(TagSource, lesson, tag.id)
        return CandidateResult(found, row.label, Verdict.SUPERSEDED, "", tag.id, CandidateKind.TAG)
    draft = TagDraft(
        row.label,
        {held.value.key: new},
        Provenance(found.provenance),
        found.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    link_source(TagSource, lesson, outcome.tag.id)
    return CandidateResult(found, row.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG)


def _merge_corrected_value(old: Any, new: str | None) -> Any:
    return new if new is None or isinstance(old, list) else complete_unit(old, new)


def _correct_preference(
    lesson: Lesson, found: PreferenceCandidate, held: StoredValue, row: Preference, value: Any
) -> CandidateResult:
    path, claim = (row.category, row.key), build_claim(lesson, found, value, statement=found.statement)
    target = f"{row.category}/{row.key}"
    if held.is_entry:
        added = [] if value is None else [value]
        outcome = change_list_preference(lesson.subject, path, claim, add=added, remove=[held.value.text])
    elif value is None:
        ended = retract_belief(preference_place(lesson.subject, *path), at=lesson.message.said_at)
        if ended is None:
            return CandidateResult(found, target, Verdict.UNCHANGED)
        link_source(PreferenceSource, lesson, ended.id)
        return CandidateResult(found, target, Verdict.MERGED, "", ended.id)
    else:
        outcome = record_preference(lesson.subject, *path, claim)
    if outcome.row is None:
        return CandidateResult(found, target, outcome.verdict, outcome.reason)
    link_source(PreferenceSource, lesson, outcome.row.id)
    return CandidateResult(found, target, outcome.verdict, outcome.reason, outcome.row.id)


def _correct_fact(
    lesson: Lesson, found: PreferenceCandidate, held: StoredValue, row: ProfileFact, value: Any
) -> CandidateResult:
    name = FactName(row.field, is_attribute=row.is_attribute)
    old = [FactChange(name, build_claim(lesson, found, held.value.text), "remove")] if held.is_entry else []
    mode: Mode = "append" if held.is_entry else "overwrite"
    new = [] if value is None else [FactChange(name, build_claim(lesson, found, value), mode)]
    ended = [] if old or new else [name]
    verdict = patch_profile(lesson.subject, [*old, *new], remove=ended, at=lesson.message.said_at)[-1]
    if verdict.row is None:
        return CandidateResult(found, name.path, verdict.verdict, verdict.reason, kind=CandidateKind.PROFILE)
    link_source(ProfileFactSource, lesson, verdict.row.id)
    return CandidateResult(found, name.path, verdict.verdict, verdict.reason, verdict.row.id, CandidateKind.PROFILE)
