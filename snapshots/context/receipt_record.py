"""The receipt of a context: every candidate with its decision, numbers and reasons, without its words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from typing import Any
from uuid import UUID

from memory_platform.kernel.release import RELEASE
from snapshots.context.values import (
    AssembledContext,
    CandidateDecision,
    DecisionReason,
    PassageSource,
    SectionName,
    SectionReport,
    TokenReport,
)
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.values import SNAPSHOTS, RankedHit, WhyLeftOut
from snapshots.receipts.values import LASTING, VITAL, ReceiptCandidate, RenderedPrompt
from snapshots.relevance.note_relevance_model import load_note_reader
from snapshots.understanding.grading.clause_classifier import load_clause_classifier

_LEFT_OUT: dict[WhyLeftOut, DecisionReason] = {
    "said_again": DecisionReason.DUPLICATE_OF_MEMORY,
    "expired": DecisionReason.EXPIRED,
    "below_floor": DecisionReason.BELOW_FLOOR,
}

RELEVANCE_DIGITS = 3
# Kept with the memory section of a receipt, and not shown.
ROOM = "room"


def list_receipt_candidates(context: AssembledContext, recall_answer: RecallAnswer) -> list[ReceiptCandidate]:
    """Return one candidate per memory, those that recall left out last. A fact offered to profile and memory section
    alike shows the place it got, or why the memory section, which was asked last, left it out."""
    fates: dict[tuple[str, str], CandidateDecision] = {}
    for decision in context.decisions:
        earlier = fates.get((decision.lane, decision.id))
        if earlier is None or earlier.position is None:
            fates[decision.lane, decision.id] = decision
    return [
        *(make_receipt_candidate(decision, context.threshold) for decision in fates.values()),
        *list_left_out_candidates(recall_answer.left_out),
    ]


def make_receipt_candidate(decision: CandidateDecision, threshold: float) -> ReceiptCandidate:
    return ReceiptCandidate(
        decision.id,
        decision.lane,
        decision.kind,
        decision.score,
        decision.reason.value,
        decision.tokens,
        decision.guardrail.value if decision.guardrail else None,
        decision.position,
        tuple(decision.explain) if decision.explain else None,
        None if decision.relevance is None else round(decision.relevance, RELEVANCE_DIGITS),
        find_required_relevance(decision, threshold),
        find_standing_reason(decision),
        pack_passage_source(decision.source) if decision.source else None,
    )


def find_required_relevance(decision: CandidateDecision, threshold: float) -> float | None:
    """Return the relevance required of a candidate, ``threshold`` for memories; None where none is."""
    if decision.relevance is None:
        return None
    return decision.least if decision.source else max(threshold, decision.least)


def pack_passage_source(source: PassageSource) -> tuple[Any, ...]:
    """Return the place of a passage, without words: a receipt outlives its document."""
    cited = source.citation
    return (cited.document_id, list(source.chunk_ids), source.position, cited.page, cited.start, cited.end)


def list_shown_documents(context: AssembledContext) -> list[UUID]:
    """Return the documents whose words stand in a context."""
    shown = (one.source.document for one in context.decisions if one.source and one.position is not None)
    return list(dict.fromkeys(shown))


def find_standing_reason(decision: CandidateDecision) -> str:
    """Return why a candidate stands whatever is asked; "" for one that competes by the question."""
    if decision.section is not SectionName.PROFILE:
        return ""
    return VITAL if decision.is_vital else LASTING


def list_left_out_candidates(hits: Iterable[RankedHit]) -> Iterator[ReceiptCandidate]:
    """Yield hits that recall left out, with 0 tokens: their text is unread."""
    for hit in hits:
        if hit.left_out:
            reason = _LEFT_OUT[hit.left_out.why]
            yield ReceiptCandidate(str(hit.id), SNAPSHOTS, hit.left_out.kind, hit.score, str(reason), 0)


def render_sections(sections: Iterable[SectionReport]) -> list[dict[str, Any]]:
    return [
        {"name": str(one.name), "tokens": one.tokens, "items": one.items, "dropped": one.dropped} for one in sections
    ]


def render_sent_prompt(query: str, context: AssembledContext) -> RenderedPrompt:
    return RenderedPrompt(
        query,
        context.messages,
        context.text,
        tuple((one.position, one.message, one.start, one.end) for one in context.places),
    )


def render_stored_sections(context: AssembledContext) -> list[dict[str, Any]]:
    """Return the sections with the bounds of the memory section, for a replay under another policy."""
    room = asdict(context.memory_room)
    shown = render_sections(context.sections)
    return [one | {ROOM: room} if one["name"] == SectionName.MEMORY else one for one in shown]


def render_token_report(tokens: TokenReport) -> dict[str, Any]:
    return {
        "total": tokens.total,
        "budget": tokens.budget,
        "full_history": tokens.full_history,
        "saved_ratio": tokens.saved_ratio,
        "counter": tokens.counter,
    }


@cache
def load_component_versions() -> Mapping[str, str]:
    """Return the release and the versions of the readers, by name, as receipts keep them."""
    return {
        "release": RELEASE,
        "clauses": load_clause_classifier().version,
        "relevance": str(load_note_reader().taught["version"]),
    }
