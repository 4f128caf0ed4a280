"""Candidates as the ``gives`` of a row states them."""

from collections.abc import Iterable
from typing import Any

from snapshots.understanding.values import Candidate, FactCandidate, MeasuredValue, PreferenceCandidate, TagCandidate


def describe(candidates: Iterable[Candidate]) -> dict[str, Any]:
    """Return candidates as the ``gives`` of a row states them: place -> value."""
    told: dict[str, Any] = {}
    for one in candidates:
        match one:
            case FactCandidate(mode="append"):
                told.setdefault(one.field, []).append(one.value)
            case FactCandidate():
                told[one.field] = one.value
            case PreferenceCandidate():
                value = one.value
                place = f"{one.category}/{one.key}"
                shown = value.to_json() if isinstance(value, MeasuredValue) else value
                told[place] = [*told.get(place, ()), *value] if isinstance(value, tuple) else shown
            case TagCandidate():
                details = {name: getattr(one, name) for name in ("relation", "phone", "address")}
                details["aliases"] = list(one.aliases)
                told[f"tag/{one.label}"] = {"kind": one.kind} | {k: v for k, v in details.items() if v}
    return told
