"""The profile: standard fields and free attributes, each with its past."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.db.models import F

from profiles.models import PROFILE_FIELDS, CandidateKind, ProfileFact, Subject
from profiles.provenance_and_verdict import Verdict
from profiles.services.beliefs import BeliefPlace, record_belief, retract_belief
from profiles.services.list_values import change_list, list_entries
from profiles.services.subject_lock import lock_subject
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.value_claims import ABSENT, NOT_A_LIST, REMOVED, Claim, ClaimOutcome

Mode = Literal["overwrite", "append", "merge", "remove"]
LIST_FIELDS = frozenset({"interests"})
ATTRIBUTES = "attributes."
_CHANGED = frozenset({Verdict.STORED, Verdict.MERGED, Verdict.SUPERSEDED})


@dataclass(frozen=True, slots=True)
class FactName:
    """A standard field of the profile, or a free attribute."""

    field: str
    is_attribute: bool = False

    @property
    def path(self) -> str:
        return f"{ATTRIBUTES}{self.field}" if self.is_attribute else self.field

    @classmethod
    def read(cls, path: str) -> "FactName":
        """Parse ``path``; a bare name that is no standard field is an attribute."""
        if path.startswith(ATTRIBUTES):
            return cls(path.removeprefix(ATTRIBUTES), is_attribute=True)
        return cls(path, is_attribute=path not in PROFILE_FIELDS)


@dataclass(frozen=True, slots=True)
class FactChange:
    """One change of a profile. ``overwrite`` sets the value; ``append`` adds one or several entries to a list;
    ``merge`` unites lists, merges objects by key and overwrites all else; ``remove`` removes entries from a list."""

    name: FactName
    claim: Claim
    mode: Mode = "overwrite"


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """The outcome of one change. ``row`` is the resulting fact; None if the change left no fact."""

    name: FactName
    verdict: Verdict
    reason: str = ""
    row: ProfileFact | None = None


def patch_profile(
    subject: Subject,
    changes: Iterable[FactChange],
    *,
    remove: Iterable[FactName] = (),
    at: datetime | None = None,
) -> list[FactVerdict]:
    """Apply changes and then removals (ended at ``at``, by default now); return one verdict each, in order.

    A change increments ``subject.profile_version`` and updates the search text. Raises NotFound for an erased subject.
    """
    lock_subject(subject)
    verdicts = []
    for change in changes:
        outcome = _apply(subject, change)
        verdicts.append(FactVerdict(change.name, outcome.verdict, outcome.reason, outcome.row))
    verdicts += [_remove_fact(subject, name, at) for name in remove]
    if any(verdict.verdict in _CHANGED for verdict in verdicts):
        Subject.objects.filter(id=subject.id).update(profile_version=F("profile_version") + 1)
        subject.profile_version += 1
        refresh_search_text(subject)
    return verdicts


def build_fact_place(subject: Subject, name: FactName) -> BeliefPlace[ProfileFact]:
    columns = {"field": name.field, "is_attribute": name.is_attribute}
    return BeliefPlace(ProfileFact, subject, columns, CandidateKind.PROFILE, name.path)


def _apply(subject: Subject, change: FactChange) -> ClaimOutcome[ProfileFact]:
    place, claim = build_fact_place(subject, change.name), change.claim
    if change.mode == "overwrite":
        return record_belief(place, claim)
    if change.mode == "merge":
        return _merge(place, claim)
    if not change.name.is_attribute and change.name.field not in LIST_FIELDS:
        return ClaimOutcome(Verdict.REJECTED, NOT_A_LIST, None, place.current())
    entries = list_entries(claim.value)
    if entries is None:
        return ClaimOutcome(Verdict.REJECTED, NOT_A_LIST, None, place.current())
    return change_list(place, claim, **{"remove" if change.mode == "remove" else "add": entries})


def _merge(place: BeliefPlace[ProfileFact], claim: Claim) -> ClaimOutcome[ProfileFact]:
    held = place.current()
    if held is None:
        return record_belief(place, claim)
    if isinstance(held.value, list) and isinstance(claim.value, list):
        return change_list(place, claim, add=claim.value)
    if not isinstance(held.value, dict) or not isinstance(claim.value, dict):
        return record_belief(place, claim)
    outcome = record_belief(place, replace(claim, value={**held.value, **claim.value}))
    return replace(outcome, verdict=Verdict.MERGED) if outcome.verdict is Verdict.SUPERSEDED else outcome


def _remove_fact(subject: Subject, name: FactName, at: datetime | None) -> FactVerdict:
    row = retract_belief(build_fact_place(subject, name), at=at)
    if row is None:
        return FactVerdict(name, Verdict.UNCHANGED, ABSENT)
    return FactVerdict(name, Verdict.SUPERSEDED, REMOVED, row)
