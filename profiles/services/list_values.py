"""List values (likes, dislikes, interests): each added or removed entry makes a new version."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.text import to_comparable, to_singular
from profiles.models.belief import Belief
from profiles.provenance_and_verdict import Verdict
from profiles.services.beliefs import BeliefPlace, record_belief, retract_belief
from profiles.services.subject_lock import lock_subject
from profiles.services.value_claims import ABSENT, NOT_A_LIST, OLDER, Claim, ClaimOutcome, have_same_value, is_weaker

B = TypeVar("B", bound=Belief)


def change_list(
    place: BeliefPlace[B], claim: Claim, *, add: Sequence[Any] = (), remove: Sequence[Any] = ()
) -> ClaimOutcome[B]:
    """Remove entries from a list and add entries; ``claim.value`` is ignored, a single value is a list of one.

    Entries are equal if a reader would call them the same. They are added to the list as it was at the time of the
    claim; an entry from before the current list is added to that too, unless a list in between had dropped it. An empty
    list is retracted. Verdicts: stored, merged (the list changed), unchanged (``absent``: nothing to remove), rejected
    (``not_a_list`` for an object, ``weaker_than_current``).
    """
    lock_subject(place.subject)
    before = place.row_at(claim.valid_at or utc_now())
    entries = list_entries(before.value) if before is not None else []
    if entries is None:
        return ClaimOutcome(Verdict.REJECTED, NOT_A_LIST, None, place.current())
    kept = [entry for entry in entries if not find_entry(entry, remove)]
    amended = merge_entries(kept, add)
    if amended == entries and not add:
        return ClaimOutcome(Verdict.UNCHANGED, ABSENT, None, place.current())
    emptied = _retract_emptied_list(place, claim, before) if not amended else None
    if emptied is not None:
        return emptied
    outcome = _mark_merged(record_belief(place, replace(claim, value=amended)))
    return _add_earlier_entries(place, claim, add, outcome) if outcome.reason == OLDER else outcome


def list_entries(value: Any) -> list[Any] | None:
    """Return a value as a list; None for an object, which has no entries."""
    if isinstance(value, dict):
        return None
    return list(value) if isinstance(value, list) else [value]


def merge_entries(entries: Sequence[Any], more: Sequence[Any]) -> list[Any]:
    result = list(entries)
    for entry in more:
        if not find_entry(entry, result):
            result.append(entry)
    return result


def find_entry(entry: Any, entries: Sequence[Any]) -> bool:
    """Return whether a reader would find ``entry`` among ``entries``."""
    return any(are_alike(entry, other) for other in entries)


def are_alike(one: Any, other: Any) -> bool:
    """Return whether a reader would call two values the same, also in singular and plural."""
    if isinstance(one, str) and isinstance(other, str):
        return to_singular(to_comparable(one)) == to_singular(to_comparable(other))
    return have_same_value(one, other)


def _retract_emptied_list(place: BeliefPlace[B], claim: Claim, before: B | None) -> ClaimOutcome[B] | None:
    """Retract a list whose last entry is gone. Return None if the claim is weaker than the list."""
    if before is None or not before.is_current or is_weaker(claim, before):
        return None
    retracted = retract_belief(place, at=claim.valid_at)
    return ClaimOutcome(Verdict.MERGED, "", retracted, None) if retracted is not None else None


def _add_earlier_entries(
    place: BeliefPlace[B], claim: Claim, add: Sequence[Any], outcome: ClaimOutcome[B]
) -> ClaimOutcome[B]:
    """Add earlier entries to the current list too, unless a list in between had dropped them."""
    current = outcome.current
    entries = list_entries(current.value) if current is not None else None
    if current is None or entries is None or outcome.row is None:
        return outcome
    since = [list_entries(row.value) or [] for row in place.rows().filter(valid_at__gt=outcome.row.valid_at)]
    missing = [entry for entry in add if not any(find_entry(entry, known) for known in since)]
    if not missing:
        return outcome
    last_said = max(current.said_times or [current.valid_at])
    return _mark_merged(record_belief(place, replace(claim, value=[*entries, *missing], valid_at=last_said)))


def _mark_merged(outcome: ClaimOutcome[B]) -> ClaimOutcome[B]:
    return replace(outcome, verdict=Verdict.MERGED) if outcome.verdict is Verdict.SUPERSEDED else outcome
