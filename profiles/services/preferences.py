"""Preferences: record, change a list, retract."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_platform.kernel.errors import NotFound
from profiles.audit import record_act
from profiles.models import CandidateKind, Preference, Subject
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import current_preferences
from profiles.services.beliefs import BeliefPlace, record_belief, retract_belief
from profiles.services.list_values import change_list, find_entry, list_entries
from profiles.services.subject_lock import lock_subject
from profiles.services.value_claims import Claim, ClaimOutcome, is_weaker
from tenants.services.audit import Actor

# Keys of lists that never hold the same thing at once.
OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}


def record_preference(
    subject: Subject, category: str, key: str, claim: Claim, *, now: datetime | None = None
) -> ClaimOutcome[Preference]:
    return record_belief(build_preference_place(subject, category, key), claim, now=now)


def retract_preference(
    subject: Subject,
    category: str,
    key: str,
    *,
    at: datetime | None = None,
    by: Actor | None = None,
    reason: str = "",
) -> Preference:
    """End the current value without a successor; its history stays. ``by`` (a staff member) leaves an audit record.

    Raises NotFound when there is no current value.
    """
    retracted = retract_belief(build_preference_place(subject, category, key), at=at)
    if retracted is None:
        raise NotFound("No preference with this category and key.")
    if by is not None:
        record_act(by, "preference.retracted", retracted, reason)
    return retracted


def change_list_preference(
    subject: Subject,
    path: tuple[str, str],
    claim: Claim,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> ClaimOutcome[Preference]:
    """Remove entries from the list at ``path`` (category, key) and add entries, as one new version. ``claim.value`` is
    not read; see :func:`profiles.services.list_values.change_list`."""
    return change_list(build_preference_place(subject, *path), claim, add=add, remove=remove)


def remove_from_opposite(subject: Subject, key: str, claim: Claim, entries: Sequence[Any]) -> list[Preference]:
    if key not in OPPOSITE:
        return []
    lock_subject(subject)
    changed = []
    for held in current_preferences(subject).filter(key=OPPOSITE[key]):
        gone = [entry for entry in list_entries(held.value) or () if find_entry(entry, entries)]
        if gone and not is_weaker(claim, held):
            known_by, details = Provenance(held.provenance), {"statement": held.statement}
            rest = replace(claim, provenance=known_by, confidence=held.confidence, details=details)
            outcome = change_list_preference(subject, (held.category, held.key), rest, remove=gone)
            changed += [outcome.row] if outcome.row is not None else []
    return changed


def build_preference_place(subject: Subject, category: str, key: str) -> BeliefPlace[Preference]:
    columns = {"category": category, "key": key}
    return BeliefPlace(Preference, subject, columns, CandidateKind.PREFERENCE, f"{category}/{key}")
