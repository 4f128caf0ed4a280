"""From an assembled context to its receipt: every candidate with its fate, numbers and reasons, without its words."""

from collections.abc import Iterable, Mapping
from typing import Any

from snapshots.context.values import AssembledContext, Decision, SectionReport, TokenReport
from snapshots.recall.explained import explained
from snapshots.recall.values import RecalledMemory
from snapshots.receipts.values import ReceiptCandidate


def candidates_from(context: AssembledContext, memories: Iterable[RecalledMemory]) -> list[ReceiptCandidate]:
    """Return one candidate per memory. A fact offered to profile and memory section alike shows the place it got, or
    why the memory section, which was asked last, left it out."""
    why = {str(memory.id): explained(memory.explain) for memory in memories if memory.explain}
    fates: dict[tuple[str, str], Decision] = {}
    for decision in context.decisions:
        earlier = fates.get((decision.lane, decision.id))
        if earlier is None or earlier.position is None:
            fates[decision.lane, decision.id] = decision
    return [candidate_from(decision, why) for decision in fates.values()]


def candidate_from(decision: Decision, why: Mapping[str, dict[str, Any]]) -> ReceiptCandidate:
    """Return a decision as a receipt keeps it."""
    return ReceiptCandidate(
        memory_id=decision.id,
        lane=decision.lane,
        kind=decision.kind,
        candidate_score=decision.score,
        decision_reason=str(decision.reason),
        tokens=decision.tokens,
        guardrail_hit=str(decision.guardrail) if decision.guardrail else None,
        context_position=decision.position,
        explain=why.get(decision.id),
    )


def shown_sections(sections: Iterable[SectionReport]) -> list[dict[str, Any]]:
    """Return the sections as answers and receipts show them."""
    return [
        {"name": str(one.name), "tokens": one.tokens, "items": one.items, "dropped": one.dropped} for one in sections
    ]


def shown_tokens(tokens: TokenReport) -> dict[str, Any]:
    """Return the token report as answers and receipts show it."""
    return {
        "total": tokens.total,
        "budget": tokens.budget,
        "full_history": tokens.full_history,
        "saved_ratio": tokens.saved_ratio,
        "counter": tokens.counter,
    }
