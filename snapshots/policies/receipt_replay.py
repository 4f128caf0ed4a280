"""One receipt under another policy: its candidates ranked anew, within the same budget. Pure functions.

A receipt keeps the rounded factors of each score, not their inputs. So a factor can be exchanged if its old value
identifies its step, and stays otherwise: see :func:`list_unreplayable_changes`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import Any

from snapshots.context.config import ContextPolicy
from snapshots.context.receipt_record import ROOM
from snapshots.context.values import MemoryRoom
from snapshots.policies.effective_policies import Policies
from snapshots.recall.config import RankingPolicy

KEPT, OVER_BUDGET, SNAPSHOTS, MEMORY = "kept", "over_budget", "snapshots", "memory"
# Receipts round factors to six digits.
NEAR = 2e-6
TOLD_CONTEXT = frozenset({"memory", "memory_by_intent", "vital_classes"})  # the last is named with its own section
RECENCY = ("use_recency", "recency_curve", "recency_days", "recency_values", "hyperbolic_rate")
CONFIDENCE = ("use_confidence", "validation_days", "validation_values")
PROVENANCE = ("use_provenance", "provenance", "corrected_by_staff")
FREQUENCY = (
    "use_frequency",
    "frequency_injected",
    "frequency_liked",
    "frequency_disliked",
    "frequency_bonus",
    "frequency_malus",
)
THRESHOLDS = ("frequency_injected", "frequency_liked", "frequency_disliked")
Exchange = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class ReplayedCandidate:
    """One candidate: the base of its score, the factors, tokens, and whether it was chosen."""

    id: str
    near: float
    factors: Mapping[str, float]
    tokens: int
    taken: bool


@dataclass(frozen=True, slots=True)
class ReplayedQuestion:
    """One receipt's choice: the candidates, the intent, and the tokens beside the snapshots in their section. ``bound``
    is the limit of the section, None in receipts that do not record it."""

    candidates: Sequence[ReplayedCandidate]
    intent: str = ""
    beside: int = 0
    bound: MemoryRoom | None = None


@dataclass(frozen=True, slots=True)
class ReplayedChoice:
    """The replayed choice of one receipt. ``reproduced``: replaying its own policy gives its own choice."""

    before: frozenset[str]
    after: frozenset[str]
    tokens_before: int
    tokens_after: int
    reproduced: bool

    @property
    def entering(self) -> frozenset[str]:
        return self.after - self.before

    @property
    def leaving(self) -> frozenset[str]:
        return self.before - self.after


def list_replayed_candidates(candidates: Iterable[Mapping[str, Any]]) -> list[ReplayedCandidate]:
    """Return the snapshots that competed in a receipt: chosen, or left out only for lack of room."""
    return [
        ReplayedCandidate(
            id=one["memory_id"],
            near=_read_similarity(one["explain"]),
            factors=one["explain"]["factors"],
            tokens=one["tokens"],
            taken=one["decision_reason"] == KEPT,
        )
        for one in candidates
        if one["lane"] == SNAPSHOTS and one["explain"] and one["decision_reason"] in {KEPT, OVER_BUDGET}
    ]


def count_other_tokens(sections: Iterable[Mapping[str, Any]], candidates: Sequence[ReplayedCandidate]) -> int:
    """Return the tokens of the memory section beside snapshots: its heading, and facts of the profile."""
    section = sum(one["tokens"] for one in sections if one["name"] == MEMORY)
    return max(0, int(section) - sum(one.tokens for one in candidates if one.taken))


def replay_receipt(question: ReplayedQuestion, before: Policies, after: Policies) -> ReplayedChoice:
    offered = question.candidates
    exchanges = build_factor_exchanges(before.recall.ranking, after.recall.ranking)
    own = choose_candidates(offered, score_candidate, measure_room(question, before, before))
    other = choose_candidates(
        offered, lambda one: rescore_candidate(one, exchanges), measure_room(question, before, after)
    )
    kept = frozenset(one.id for one in offered if one.taken)
    return ReplayedChoice(
        before=kept,
        after=frozenset(one.id for one in other),
        tokens_before=sum(one.tokens for one in offered if one.taken),
        tokens_after=sum(one.tokens for one in other),
        reproduced=kept == frozenset(one.id for one in own),
    )


def score_candidate(one: ReplayedCandidate) -> float:
    return one.near * prod(one.factors.values())


def choose_candidates(
    candidates: Sequence[ReplayedCandidate], by: Callable[[ReplayedCandidate], float], room: int | None
) -> list[ReplayedCandidate]:
    """Return the whole items that fit into ``room`` tokens, best first; one that does not fit is skipped."""
    held: list[ReplayedCandidate] = []
    used = 0
    for one in sorted(candidates, key=lambda each: -by(each)):
        if room is None or used + one.tokens <= room:
            held.append(one)
            used += one.tokens
    return held


def measure_room(question: ReplayedQuestion, before: Policies, after: Policies) -> int | None:
    """Return the tokens for snapshots under ``after``; None if nothing was left out and the budget is not smaller.

    The room was the slot without the tokens beside the snapshots, if that agrees with the choice; else (a slot may grow
    by the unused room of others, and a caller may name its own) the tokens of the chosen ones.
    """
    if question.bound is not None:
        named = "" if question.bound.grows else question.intent  # a detected intent changes no size
        return max(0, measure_slot_room(question.bound, find_slot_budget(after.context, named)) - question.beside)
    used = sum(one.tokens for one in question.candidates if one.taken)
    slot = find_slot_budget(before.context, question.intent)
    change = find_slot_budget(after.context, question.intent) - slot
    if all(one.taken for one in question.candidates):
        return None if change >= 0 else max(0, max(used, slot - question.beside) + change)
    agrees = used <= slot - question.beside < used + _find_first_refused(question.candidates)
    return max(0, (slot - question.beside if agrees else used) + change)


def measure_slot_room(bound: MemoryRoom, slot: int) -> int:
    grown = slot + max(0, min(bound.carried, bound.free - slot)) if bound.grows else slot
    return max(0, min(grown, bound.free))


def find_memory_room(sections: Iterable[Mapping[str, Any]]) -> MemoryRoom | None:
    kept = next((one[ROOM] for one in sections if one["name"] == MEMORY and ROOM in one), None)
    return MemoryRoom(**kept) if kept else None


def find_slot_budget(policy: ContextPolicy, intent: str) -> int:
    slot = policy.memory_slot_of(intent)
    return policy.memory if slot is None else slot


def rescore_candidate(one: ReplayedCandidate, exchanges: Mapping[str, Exchange]) -> float:
    return one.near * prod(
        exchanges[name](value) if name in exchanges else value for name, value in one.factors.items()
    )


def build_factor_exchanges(before: RankingPolicy, after: RankingPolicy) -> dict[str, Exchange]:
    """Return the exchange of each factor that differs and that receipts can express."""
    found = {
        "recency": _exchange_recency(before, after),
        "confidence_effective": None if after.use_confidence else lambda factor: 1.0,
        "provenance": _exchange_provenance(before, after),
        "frequency": _exchange_frequency(before, after),
    }
    return {name: exchange for name, exchange in found.items() if exchange is not None}


def list_unreplayable_changes(before: Policies, after: Policies) -> list[str]:
    """Return the differences between two policies that receipts cannot express, as ``section.field``."""
    old, new = before.recall.ranking, after.recall.ranking
    exchanges = build_factor_exchanges(old, new)
    told = {
        **dict.fromkeys(RECENCY, "recency"),
        **dict.fromkeys(CONFIDENCE, "confidence_effective"),
        **dict.fromkeys(PROVENANCE, "provenance"),
        **dict.fromkeys(FREQUENCY, "frequency"),
    }
    ranking = [name for name in _list_differing_fields(old, new) if told.get(name) not in exchanges]
    context = [name for name in _list_differing_fields(before.context, after.context) if name not in TOLD_CONTEXT]
    scoring = _list_differing_fields(before.recall.scoring, after.recall.scoring)
    return [
        *(f"ranking.{name}" for name in ranking),
        *(f"scoring.{name}" for name in scoring),
        *(f"context.{name}" for name in context),
        *(["recall.top_k"] if before.top_k != after.top_k else ()),
        *(["recall.documents"] if before.recalls_documents != after.recalls_documents else ()),
    ]


def _exchange_recency(before: RankingPolicy, after: RankingPolicy) -> Exchange | None:
    if "episode" in {before.recency_curve, after.recency_curve} and (before.use_recency or after.use_recency):
        return None
    if not after.use_recency:
        return lambda factor: 1.0
    if not before.use_recency:
        return None
    if before.recency_curve == "hyperbolic" and before.hyperbolic_rate > 0:
        return lambda factor: _compute_recency_factor((1 / factor - 1) / before.hyperbolic_rate, after)
    if after.recency_curve == "steps" and before.recency_days == after.recency_days:
        return _map_steps(before.recency_values, after.recency_values)
    return None


def _compute_recency_factor(days: float, policy: RankingPolicy) -> float:
    if policy.recency_curve == "hyperbolic":
        return 1 / (1 + policy.hyperbolic_rate * days)
    return policy.recency_values[sum(days > bound for bound in policy.recency_days)]


def _exchange_provenance(before: RankingPolicy, after: RankingPolicy) -> Exchange | None:
    if not after.use_provenance:
        return lambda factor: 1.0
    return _map_steps(before.provenance_settings, after.provenance_settings) if before.use_provenance else None


def _exchange_frequency(before: RankingPolicy, after: RankingPolicy) -> Exchange | None:
    if not after.use_frequency:
        return lambda factor: 1.0
    if not before.use_frequency or any(getattr(before, name) != getattr(after, name) for name in THRESHOLDS):
        return None
    return _map_steps(
        (before.frequency_malus, 1.0, before.frequency_bonus), (after.frequency_malus, 1.0, after.frequency_bonus)
    )


def _map_steps(old: Sequence[float], new: Sequence[float]) -> Exchange | None:
    """Return the exchange of one list of values for another; None if two steps had the same value."""
    if len(set(old)) < len(old):
        return None

    def exchange(factor: float) -> float:
        step = min(range(len(old)), key=lambda index: abs(old[index] - factor))
        return new[step] if abs(old[step] - factor) <= NEAR else factor

    return exchange


def _find_first_refused(candidates: Sequence[ReplayedCandidate]) -> int:
    """Return how many tokens the best refused candidate would have needed beyond those chosen before it."""
    ordered = sorted(candidates, key=lambda one: -score_candidate(one))
    first = next(index for index, one in enumerate(ordered) if not one.taken)
    return ordered[first].tokens - sum(one.tokens for one in ordered[first:] if one.taken)


def _read_similarity(explain: Mapping[str, Any]) -> float:
    reranked = explain.get("reranked")
    return float(explain["semantic"] if reranked is None else reranked)


def _list_differing_fields(before: Any, after: Any) -> list[str]:
    return [field.name for field in fields(before) if getattr(before, field.name) != getattr(after, field.name)]
