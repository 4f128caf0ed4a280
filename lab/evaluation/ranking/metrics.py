"""The figures of one ranking: pure functions over which evidence each memory brings.

A ranking is given as one set per memory, best first: the numbers of the evidence turns that are among its sources. So
a memory made of several turns brings several, and a turn that two memories share counts once.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from lab.evaluation.ranking.evidence_overlap import EvidenceNeed

# Per memory, best first, the evidence turns it stems from.
Brought = Sequence[Collection[int]]


def recall_at(brought: Brought, evidence_count: int, k: int) -> float:
    """Return the fraction of the ``evidence_count`` evidence turns among the sources of the first ``k`` memories."""
    return len(set().union(*brought[:k])) / evidence_count


def hit_at(brought: Brought, k: int) -> float:
    """Return 1 when any of the first ``k`` memories brings evidence, else 0."""
    return float(any(brought[:k]))


def all_at(brought: Brought, evidence_count: int, k: int) -> float:
    """Return 1 when the first ``k`` memories bring all evidence, else 0."""
    return float(len(set().union(*brought[:k])) == evidence_count)


def reciprocal_rank(brought: Brought) -> float:
    """Return 1 / rank of the first memory that brings evidence, counted from 1; 0 when none does."""
    return next((1 / rank for rank, turns in enumerate(brought, start=1) if turns), 0.0)


def ndcg_at(brought: Brought, evidence_count: int, k: int) -> float:
    """Return the discounted gain of the first ``k`` memories by that of the best order, between 0 and 1.

    A memory gains 1 when it brings a turn that none before it brought. Source: Järvelin and Kekäläinen, "Cumulated
    gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002, with binary gains.
    """
    gained = sum(_discount(rank) for rank, is_new in enumerate(_flag_new_evidence(brought[:k]), start=1) if is_new)
    best = sum(_discount(rank) for rank in range(1, min(evidence_count, k) + 1))
    return gained / best


def coverage_within(
    budgets: Sequence[int], tokens: Sequence[int], occurring: Sequence[Sequence[int]], needs: Sequence[EvidenceNeed]
) -> Mapping[int, float]:
    """Return, per token budget, the fraction of evidence turns present in the memories that fit in, in their order.

    ``tokens[i]`` is the size of the i-th memory, ``occurring[i][j]`` which pieces of turn ``j`` it holds, as bits. The
    first memory that does not fit ends the answer: an answer is read from its beginning, nothing in it is skipped.
    """
    covered = {}
    for budget in budgets:
        held = [0] * len(needs)
        for memory in _fit_budget(tokens, budget):
            held = [before | bits for before, bits in zip(held, occurring[memory], strict=True)]
        present = [turn.is_met(bits.bit_count()) for turn, bits in zip(needs, held, strict=True)]
        covered[budget] = sum(present) / len(needs)
    return covered


def _flag_new_evidence(brought: Brought) -> Iterator[bool]:
    """Yield, for each memory, whether it brings a turn that none before it brought."""
    seen: set[int] = set()
    for turns in brought:
        yield not seen.issuperset(turns)
        seen.update(turns)


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _fit_budget(tokens: Sequence[int], budget: int) -> range:
    used = fitting = 0
    for size in tokens:
        if used + size > budget:
            break
        used += size
        fitting += 1
    return range(fitting)
