"""The settings of a tenant and their bounds: retention, budgets, top-k, weights, decay curve, model tiers, custom
fields.

Bounds prevent broken answers, not worse ones: an experiment shows those.
"""

from collections.abc import Iterator
from typing import get_args

from snapshots.config import RETENTION_SECTION
from snapshots.context.config import DEFAULT_CONTEXT, ContextPolicy
from snapshots.context.turn.model_tier import Tier
from snapshots.lifecycle.config import PURGE_POLICY
from snapshots.notes.policy_section import NOTES_SECTION
from snapshots.recall.config import ANSWERS, DEFAULT_RECALL, RankingPolicy, ScoringPolicy
from snapshots.understanding.fields.requested_fields import FIELDS_SECTION
from tenants.policies.policy_documents import Section, Sections
from tenants.policies.value_kinds import Choice, Days, Flag, NamedValues, Number, Numbers, WholeNumber

_TOKENS = WholeNumber(0, 200_000, "tokens")
_SHARE = Number(0, 1)
_TIER = Choice(get_args(Tier))
_FACTOR = Number(0.05, 20)
_AGES = Number(0, 36_500)
WEIGHTS = ("keyword_own", "keyword_window", "keyword_sitting", "dense_dated", "dense_continued")


def _check_guide_thresholds(policy: ContextPolicy) -> Iterator[tuple[str, str]]:
    if policy.tentative_from > policy.state_from:
        yield "tentative_from", "Must be at most context.state_from."


def _check_weights(policy: ScoringPolicy) -> Iterator[tuple[str, str]]:
    if not any(getattr(policy, weight) > 0 for weight in WEIGHTS[:3]):
        yield WEIGHTS[0], f"One of {', '.join(WEIGHTS[:3])} must be greater than 0: not every memory has a vector."


def _check_ranking(policy: RankingPolicy) -> Iterator[tuple[str, str]]:
    if sum(policy.episode_shares) <= 0:
        yield "episode_shares", "One share must be greater than 0."
    if policy.frequency_disliked > policy.frequency_liked:
        yield "frequency_disliked", "Must be at most ranking.frequency_liked."


PURGE = Section(
    "purge",
    PURGE_POLICY,
    {
        "messages": Days(1, 3_650),
        "receipts": Days(1, 3_650),
        "receipt_texts": Days(1, 365),
        "threads": Days(1, 3_650),
        "checkpoints": WholeNumber(1, 1_000_000, "checkpoints"),
    },
)
CONTEXT = Section(
    "context",
    DEFAULT_CONTEXT,
    {
        "total": WholeNumber(200, 1_000_000, "tokens"),
        **dict.fromkeys(("system", "profile", "memory", "window", "query", "summary", "task", "knowledge"), _TOKENS),
        "memory_by_intent": NamedValues(_TOKENS),
        "state_from": _SHARE,
        "tentative_from": _SHARE,
        "profile_from": WholeNumber(1, 200_000, "tokens"),
        "min_relevance": _SHARE,
        "detect_phase": Flag(),
        "tier": _TIER,
        "tier_by_intent": NamedValues(_TIER),
        "raised_turns": WholeNumber(0, 20, "turns"),
        "good_hit_share": _SHARE,
    },
    _check_guide_thresholds,
)
ANSWER = Section("recall", ANSWERS, {"top_k": WholeNumber(1, 100, "memories"), "documents": Flag()})
SCORING = Section(
    "scoring",
    DEFAULT_RECALL.scoring,
    {
        **dict.fromkeys(WEIGHTS, Number(0, 10)),
        "fusion": Choice(("scores", "ranks")),
        "smooth_previous": _SHARE,
        "smooth_next": _SHARE,
        **dict.fromkeys(("named_speaker", "named_time", "said_in_time", "said_recently"), Number(0, 10)),
    },
    _check_weights,
)
RANKING = Section(
    "ranking",
    DEFAULT_RECALL.ranking,
    {
        **dict.fromkeys(("use_recency", "use_confidence", "use_provenance", "use_frequency", "say_once"), Flag()),
        "recency_curve": Choice(("steps", "hyperbolic", "episode")),
        "recency_days": Numbers(3, _AGES, rising=True),
        "recency_values": Numbers(4, _FACTOR),
        "hyperbolic_rate": Number(0, 10),
        "episode_shares": Numbers(3, _SHARE),
        "episode_decay": Number(0.5, 1),
        "validation_days": Numbers(3, _AGES, rising=True),
        "validation_values": Numbers(4, Number(0, 1)),
        "provenance": Numbers(3, Number(0, 1)),
        "corrected_by_staff": _SHARE,
        "frequency_injected": WholeNumber(1, 1_000, "times injected"),
        "frequency_liked": _SHARE,
        "frequency_disliked": _SHARE,
        "frequency_bonus": _FACTOR,
        "frequency_malus": _FACTOR,
    },
    _check_ranking,
)
# All sections, in display order.
SECTIONS: Sections = {
    section.name: section
    for section in (RETENTION_SECTION, PURGE, CONTEXT, ANSWER, SCORING, RANKING, NOTES_SECTION, FIELDS_SECTION)
}
