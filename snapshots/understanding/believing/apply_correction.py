"""Apply a correction: the value that it names is replaced or ended; in the open scope."""

from typing import Any

from profiles.models import CandidateKind, Preference, ProfileFact, Subject
from profiles.services.beliefs import retract_belief
from profiles.services.preferences import change_list_preference, preference_place, record_preference
from profiles.services.profile import FactChange, FactName, Mode, patch_profile
from profiles.services.quantities import complete_unit
from profiles.services.tags.tags import TagDraft, patch_tag, upsert_tag
from profiles.values import Provenance, Verdict
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.believing.current_values import StoredValue, find_values
from snapshots.understanding.believing.lessons import CandidateResult, Lesson, build_claim, link_source
from snapshots.understanding.correcting.value_matching import MatchLevel, match_value
from snapshots.understanding.values import CurrentValue, PreferenceCandidate


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
