"""A pending candidate as JSON: all that is needed to apply it after a person's review."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from snapshots.understanding.values import Candidate, Evidence, PreferenceCandidate, ProfileFact, TagCandidate

_TYPES: dict[str, type[Candidate]] = {
    "fact": ProfileFact,
    "preference": PreferenceCandidate,
    "tag": TagCandidate,
}
_TUPLES = ("value", "aliases")


def proposal_of(found: Candidate, said_at: datetime) -> dict[str, Any]:
    """Return ``found`` as JSON, without its evidence, which stands in the message."""
    kind = next(name for name, made in _TYPES.items() if isinstance(found, made))
    fields = asdict(found)
    del fields["evidence"]
    return {"type": kind, "said_at": said_at.isoformat(), **fields}


def candidate_of(proposal: dict[str, Any]) -> tuple[Candidate, datetime]:
    """Return the candidate of a stored proposal and when it was said. Raises KeyError, TypeError for other JSON."""
    fields = dict(proposal)
    made, said_at = _TYPES[fields.pop("type")], datetime.fromisoformat(fields.pop("said_at"))
    for name in _TUPLES:
        if isinstance(fields.get(name), list):
            fields[name] = tuple(fields[name])
    return made(evidence=Evidence("", "", -1), **fields), said_at
