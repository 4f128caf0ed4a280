"""Preferences: record, amend a list, correct what named no object, retract (rows P3 and P4)."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.text import comparable
from profiles.models import CandidateKind, Preference, Subject
from profiles.selectors import current_preferences, preferences_at
from profiles.services.beliefs import Place, record_belief, retract_belief
from profiles.services.claims import OLDER, Claim, Outcome, is_weaker, same_value
from profiles.services.locking import lock_subject
from profiles.services.quantities import in_place_of, same_quantity, same_unit
from profiles.values import Verdict
from tenants.services.audit import Actor, record_audit

NOT_A_LIST = "not_a_list"
"""Entries were added to or taken from a value that is an object."""

ABSENT = "absent"
"""Nothing of what should be taken out was there."""


def record_preference(
    subject: Subject, category: str, key: str, claim: Claim, *, now: datetime | None = None
) -> Outcome[Preference]:
    """Record one value of (category, key); :func:`profiles.services.beliefs.record_belief` says what that does."""
    return record_belief(preference_place(subject, category, key), claim, now=now)


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
    retracted = retract_belief(preference_place(subject, category, key), at=at)
    if retracted is None:
        raise NotFound("no such preference")
    if by is not None:
        record_audit(
            by,
            "preference.retracted",
            object_kind="preference",
            object_id=str(retracted.id),
            subject_ref=subject.id,
            reason=reason,
        )
    return retracted


def amend_list_preference(
    subject: Subject,
    path: tuple[str, str],
    claim: Claim,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> Outcome[Preference]:
    """Take entries out of a list such as ``likes`` and put entries in, as one new version; ``claim.value`` is not read.

    ``path`` is (category, key). Entries are the same when a reader would call them the same. They go into the list as
    it was when this was said; an added one that was said before the current list goes into that too, unless a list in
    between had dropped it. A list that becomes empty is retracted. Verdicts: stored, merged (the list changed),
    unchanged (``absent``: there was nothing to take out), rejected (``not_a_list``, ``weaker_than_current``).
    """
    lock_subject(subject)
    place = preference_place(subject, *path)
    before = preferences_at(subject, as_of=claim.valid_at or utc_now(), category=path[0]).filter(key=path[1]).first()
    entries = _entries(before.value if before else [])
    if entries is None:
        return Outcome(Verdict.REJECTED, NOT_A_LIST, None, place.current())
    kept = [entry for entry in entries if not _among(entry, remove)]
    amended = [*kept, *(entry for index, entry in enumerate(add) if not _among(entry, [*kept, *add[:index]]))]
    if amended == entries and not add:
        return Outcome(Verdict.UNCHANGED, ABSENT, None, place.current())
    emptied = _emptied(place, claim, before) if not amended else None
    if emptied is not None:
        return emptied
    outcome = _merged(record_belief(place, replace(claim, value=amended)))
    return _carried_on(place, claim, add, outcome) if outcome.reason == OLDER else outcome


def correct_newest_preference(
    subject: Subject, claim: Claim, *, among: Collection[UUID], replaces: str | None = None
) -> Outcome[Preference] | None:
    """Give the value that a correction without an object means a new one: "change that to 23", "换成25度".

    ``among`` are the preferences that it can mean (those of the same conversation). Meant is the newest current one
    whose value is ``replaces`` or, when that is None, has the same unit as ``claim.value``; a number without a unit
    takes over the old value's. Returns None when none is meant.
    """
    lock_subject(subject)
    known = current_preferences(subject).filter(id__in=among).order_by("-valid_at", "-recorded_at", "-id")
    for preference in known:
        place, value = (preference.category, preference.key), preference.value
        entries = value if isinstance(value, list) else None
        if entries is not None and replaces is not None and _among(replaces, entries):
            return amend_list_preference(subject, place, claim, add=[str(claim.value)], remove=[replaces])
        if entries is None and _is_meant(value, claim.value, replaces):
            return record_preference(subject, *place, replace(claim, value=in_place_of(value, claim.value)))
    return None


def preference_place(subject: Subject, category: str, key: str) -> Place[Preference]:
    """Return where the values of (category, key) stand."""
    columns = {"category": category, "key": key}
    return Place(Preference, subject, columns, CandidateKind.PREFERENCE, f"{category}/{key}")


def _carried_on(
    place: Place[Preference], claim: Claim, add: Sequence[str], outcome: Outcome[Preference]
) -> Outcome[Preference]:
    """Put entries that were said before the current list into it too, unless a list in between had and dropped them."""
    current = outcome.current
    entries = _entries(current.value) if current else None
    if current is None or entries is None or outcome.row is None:
        return outcome
    since = [_entries(row.value) or [] for row in place.rows().filter(valid_at__gt=outcome.row.valid_at)]
    missing = [entry for entry in add if not any(_among(entry, known) for known in since)]
    if not missing:
        return outcome
    last_said = max(current.said_times or [current.valid_at])
    return _merged(record_belief(place, replace(claim, value=[*entries, *missing], valid_at=last_said)))


def _emptied(place: Place[Preference], claim: Claim, before: Preference | None) -> Outcome[Preference] | None:
    """Retract a list whose last entry is gone; None when that is not for this claim to do."""
    if before is None or not before.is_current or is_weaker(claim, before):
        return None
    retracted = retract_belief(place, at=claim.valid_at)
    return Outcome(Verdict.MERGED, "", retracted, None) if retracted is not None else None


def _merged(outcome: Outcome[Preference]) -> Outcome[Preference]:
    return replace(outcome, verdict=Verdict.MERGED) if outcome.verdict is Verdict.SUPERSEDED else outcome


def _entries(value: Any) -> list[Any] | None:
    """Return a value as a list: a text is a list of one; None for what has no entries."""
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, list) else None


def _among(entry: Any, entries: Sequence[Any]) -> bool:
    return any(_alike(entry, other) for other in entries)


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return comparable(one) == comparable(other)
    return same_value(one, other)


def _is_meant(value: Any, new: Any, replaces: str | None) -> bool:
    return same_unit(value, new) if replaces is None else _alike(str(value), replaces) or same_quantity(value, replaces)
