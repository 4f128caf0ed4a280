"""A context's report: sections, tokens, prefix, and a decision for every candidate."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from snapshots.context.token_budget import CountedPiece, SectionShelf, count_tokens
from snapshots.context.values import (
    CandidateDecision,
    DecisionReason,
    Guardrail,
    MemoryItem,
    Passage,
    PrefixReport,
    SectionName,
    SectionReport,
    SpanInPrompt,
    TokenReport,
)
from snapshots.context.writing.prompt_fence import INSPECTED_TEXTS
from snapshots.context.writing.prompt_renderer import WrittenPrompt

# Sections whose items are candidates, in reading order.
_CANDIDATES = (
    SectionName.PROFILE,
    SectionName.MEMORY,
    SectionName.TASK,
    SectionName.KNOWLEDGE,
    SectionName.SUMMARY,
)


def make_section_reports(
    sections: Mapping[SectionName, Sequence[CountedPiece]],
    shelves: Mapping[SectionName, SectionShelf],
    refused: Sequence[tuple[CountedPiece, DecisionReason]] = (),
) -> tuple[SectionReport, ...]:
    """Return every section in reading order; tokens include headings and the framing of messages. A memory that repeats
    the profile was not dropped: it is in the context, as one candidate."""
    elsewhere = {id(piece) for piece, reason in refused if reason is DecisionReason.DUPLICATE_OF_PROFILE}
    return tuple(_make_section_report(name, sections[name], shelves.get(name), elsewhere) for name in SectionName)


def make_token_report(
    sections: Iterable[SectionReport], *, budget: int, full_history: int, counter: str
) -> TokenReport:
    total = sum(section.tokens for section in sections)
    saved = max(0.0, 1 - total / full_history) if full_history > 0 else 0.0
    return TokenReport(total, budget, full_history, round(saved, 3), counter)


def make_prefix_report(
    content: str, sections: Mapping[SectionName, Sequence[CountedPiece]], shelves: Mapping[SectionName, SectionShelf]
) -> PrefixReport:
    """Return hash and tokens of message 0; no breakpoint when there is no such message."""
    guide = (piece for piece in sections[SectionName.GUIDE] if piece.part == "guide")
    pieces = [*sections[SectionName.SYSTEM], *guide, *sections[SectionName.PROFILE]]
    opening = shelves[SectionName.PROFILE].opening if sections[SectionName.PROFILE] else None
    tokens = count_tokens((*pieces, *([opening] if opening else ())))
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return PrefixReport(digest, tokens if content else 0, (0,) if content else ())


def list_decisions(
    sections: Mapping[SectionName, Sequence[CountedPiece]],
    shelves: Mapping[SectionName, SectionShelf],
    refused: Sequence[tuple[CountedPiece, DecisionReason]],
) -> tuple[CandidateDecision, ...]:
    """Return one decision for each candidate: the kept by position, then the others by section and score."""
    reasons = {id(piece): reason for piece, reason in refused}
    kept = [(name, piece) for name in _CANDIDATES for piece in sections[name]]
    inside = {id(piece) for _, piece in kept}
    outside = [(name, piece) for name in _CANDIDATES for piece in shelves[name].pieces if id(piece) not in inside]
    return (
        *(_make_decision(name, piece, DecisionReason.KEPT, at) for at, (name, piece) in enumerate(kept, start=1)),
        *(_make_decision(name, piece, reasons.get(id(piece), DecisionReason.OVER_BUDGET)) for name, piece in outside),
    )


def list_prompt_spans(
    sections: Mapping[SectionName, Sequence[CountedPiece]], prompt: WrittenPrompt
) -> tuple[SpanInPrompt, ...]:
    kept = [piece for name in _CANDIDATES for piece in sections[name]]
    return tuple(SpanInPrompt(at, *prompt.spans[id(piece)]) for at, piece in enumerate(kept, start=1))


def _make_section_report(
    name: SectionName, pieces: Sequence[CountedPiece], shelf: SectionShelf | None, elsewhere: Set[int]
) -> SectionReport:
    opening = shelf.opening.tokens if shelf and shelf.opening and pieces else 0
    items = sum(1 for piece in pieces if piece.text or piece.origin)
    settled = elsewhere | {id(piece) for piece in pieces}  # a section may hold pieces of other shelves, too
    dropped = sum(1 for piece in shelf.pieces if id(piece) not in settled) if shelf else 0
    return SectionReport(name, opening + count_tokens(pieces), items, dropped)


def _make_decision(
    name: SectionName, piece: CountedPiece, reason: DecisionReason, position: int | None = None
) -> CandidateDecision:
    origin = piece.origin
    if not isinstance(origin, MemoryItem | Passage):
        raise TypeError("only memories and passages are candidates")
    judged: dict[str, Any] = {}
    if isinstance(origin, MemoryItem) and name is SectionName.MEMORY:
        judged = {"relevance": origin.relevance, "least": origin.least, "explain": origin.explain}
    if isinstance(origin, Passage):
        judged = {"relevance": origin.relevance, "least": origin.least, "source": origin.source}
    return CandidateDecision(
        lane=origin.lane,
        id=origin.id,
        kind=origin.kind if isinstance(origin, MemoryItem) else origin.lane,
        section=name,
        score=origin.score,
        tokens=piece.tokens,
        reason=reason,
        position=position,
        guardrail=_find_guardrail(origin),
        **judged,
        is_vital=isinstance(origin, MemoryItem) and origin.vital,
    )


def _find_guardrail(origin: MemoryItem | Passage) -> Guardrail | None:
    if origin.untrusted_instruction:
        return Guardrail.INSTRUCTION
    return (origin.looks or INSPECTED_TEXTS(origin.text)).guardrail
