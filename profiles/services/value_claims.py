"""Claims about a subject, and their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import orjson

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from profiles.config import BELIEFS
from profiles.models.belief import Belief
from profiles.provenance_and_verdict import Provenance, Verdict

B = TypeVar("B", bound=Belief)

# A later statement holds: the value entered history only.
OLDER = "older"

# A stronger provenance says otherwise: the value became a candidate.
WEAKER = "weaker_than_current"

# Entries were added to or removed from a value that is no list.
NOT_A_LIST = "not_a_list"

# There was nothing to remove.
ABSENT = "absent"

# The value ended because the product said so.
REMOVED = "removed"


class ConfidenceAboveCeiling(Refused):
    """More confidence than the provenance allows. HTTP 422."""

    code = "confidence_above_ceiling"


class ValidInFuture(Refused):
    """A value cannot be true from a future moment. HTTP 422."""

    code = "valid_at_in_future"


@dataclass(frozen=True, slots=True)
class Claim:
    """One value as it was said. See :func:`make_stated_claim` and :func:`make_learned_claim`.

    ``valid_at`` is the beginning of its truth: by default when it was said, else when it is recorded. ``explicit``
    marks the product's own word: it may lower the confidence of the same value, and restores a retracted one.
    ``details`` are further columns, such as ``statement``.
    """

    value: Any
    provenance: Provenance = Provenance.CONFIRMED_BY_USER
    confidence: float = 1.0
    valid_at: datetime | None = None
    explicit: bool = False
    message_ref: UUID | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClaimOutcome(Generic[B]):
    """The outcome of a write. ``row`` is where the claim is stored (None: rejected), ``current`` the value that is true
    now."""

    verdict: Verdict
    reason: str = ""
    row: B | None = None
    current: B | None = None


def make_stated_claim(
    value: Any,
    *,
    provenance: Provenance | None = None,
    confidence: float | None = None,
    valid_at: datetime | None = None,
    **details: Any,
) -> Claim:
    """Return a claim that the product states: confirmed by the user unless it says otherwise.

    Confidence is by default the ceiling of the provenance. Raises ConfidenceAboveCeiling and ValidInFuture.
    """
    known_by = provenance or Provenance.CONFIRMED_BY_USER
    ceiling = BELIEFS.ceiling(known_by)
    if confidence is not None and confidence > ceiling:
        message = f"Must be at most {ceiling} for provenance {known_by.value}."
        raise ConfidenceAboveCeiling(faults=[FieldFault("confidence", "above_ceiling", message)])
    if valid_at is not None and valid_at > utc_now() + BELIEFS.clock_tolerance:
        raise ValidInFuture(faults=[FieldFault("valid_at", "in_future", "Must not be in the future.")])
    sure = ceiling if confidence is None else confidence
    return Claim(value, known_by, sure, valid_at, explicit=True, details=details)


def make_learned_claim(
    value: Any,
    *,
    provenance: Provenance,
    confidence: float,
    said_at: datetime,
    message_ref: UUID | None = None,
    **details: Any,
) -> Claim:
    """Return a claim that was extracted from a message said at ``said_at``; confidence is cut to its ceiling."""
    sure = max(0.0, min(confidence, BELIEFS.ceiling(provenance)))
    return Claim(value, provenance, sure, said_at, message_ref=message_ref, details=details)


def is_weaker(claim: Claim, belief: Belief) -> bool:
    return Provenance(claim.provenance).strength < Provenance(belief.provenance).strength


def have_same_value(one: Any, other: Any) -> bool:
    return _encode_canonical_value(one) == _encode_canonical_value(other)


def _encode_canonical_value(value: Any) -> bytes:
    return orjson.dumps(_convert_numbers_to_floats(value), option=orjson.OPT_SORT_KEYS)


def _convert_numbers_to_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _convert_numbers_to_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_convert_numbers_to_floats(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
