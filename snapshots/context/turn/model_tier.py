"""The tier of model that a turn calls for: by intent; strong after a correction until memory answers well again.

This is advice: only the product knows which models its tiers are.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, cast

from memory_platform.kernel.keyword_terms import split_terms
from snapshots.context.config import ContextPolicy
from snapshots.context.values import MemoryItem

Tier = Literal["light", "middle", "strong"]
# `intent`: what the turn is after; `corrected`: the user just put something right; `unsettled`: that was a few turns
# ago, and nothing good was found since; `settled`: it was, and now something was.
TierCause = Literal["intent", "corrected", "unsettled", "settled"]


@dataclass(frozen=True, slots=True)
class TierRoute:
    """A tier, why, and for how many turns in a row it has been raised."""

    tier: Tier
    reason: TierCause
    raised: int = 0

    @classmethod
    def from_receipt(cls, route: Mapping[str, Any] | None) -> Self | None:
        return cls(**route) if route else None

    @property
    def as_receipt(self) -> dict[str, Any]:
        return asdict(self)


def choose_tier_route(
    intent: str | None,
    *,
    corrected: bool,
    before: TierRoute | None,
    good_hit: Callable[[], bool],
    policy: ContextPolicy,
) -> TierRoute:
    """Return the route of a turn; ``before`` is that of the conversation's last answer. ``good_hit`` says whether
    memory answers the turn well; it is only called where that matters."""
    if corrected:
        return TierRoute("strong", "corrected", 1)
    by_intent = cast(Tier, dict(policy.tier_by_intent).get(intent or "", policy.tier))
    if before is None or not before.raised or before.raised >= policy.raised_turns:
        return TierRoute(by_intent, "intent")
    if good_hit():
        return TierRoute(by_intent, "settled")
    return TierRoute("strong", "unsettled", before.raised + 1)


def is_answered_well(query: str, memories: Iterable[MemoryItem], policy: ContextPolicy) -> bool:
    """Return whether a memory answers ``query`` well: sure enough to be stated, and about the same words."""
    asked = frozenset(split_terms(query))
    return any(
        item.confidence >= policy.state_from
        and compute_term_overlap(asked, frozenset(split_terms(f"{item.category} {item.text}"))) >= policy.good_hit_share
        for item in memories
    )


def compute_term_overlap(query_terms: frozenset[str], text_terms: frozenset[str]) -> float:
    """Return the share of common terms among those of the shorter of two texts, 0..1."""
    shorter = min(len(query_terms), len(text_terms))
    return len(query_terms & text_terms) / shorter if shorter else 0.0
