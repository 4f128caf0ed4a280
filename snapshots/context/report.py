"""What a context reports: sections, tokens, prefix, and a decision for every candidate."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from snapshots.context.budget import Piece, Shelf, tokens_of
from snapshots.context.values import (
    Decision,
    Guardrail,
    MemoryItem,
    Passage,
    Place,
    PrefixReport,
    Reason,
    SectionName,
    SectionReport,
    TokenReport,
)
from snapshots.context.writing.fence import LOOKS
from snapshots.context.writing.render import Prompt

# Sections whose items are candidates, in reading order.
_CANDIDATES = (
    SectionName.PROFILE,
    SectionName.MEMORY,
    SectionName.TASK,
    SectionName.KNOWLEDGE,
    SectionName.SUMMARY,
)


def section_reports(
    chosen: Mapping[SectionName, Sequence[Piece]],
    shelves: Mapping[SectionName, Shelf],
    refused: Sequence[tuple[Piece, Reason]] = (),
) -> tuple[SectionReport, ...]:
    """Return every section in reading order; tokens include headings and the framing of messages.

    A memory that repeats the profile was not dropped: it is in the context, as one candidate.
    """
    elsewhere = {id(piece) for piece, reason in refused if reason is Reason.DUPLICATE_OF_PROFILE}
    return tuple(_section_report(name, chosen[name], shelves.get(name), elsewhere) for name in SectionName)


def token_report(sections: Iterable[SectionReport], *, budget: int, full_history: int, counter: str) -> TokenReport:
    """Return the tokens of all sections beside those of the full history."""
    total = sum(section.tokens for section in sections)
    saved = max(0.0, 1 - total / full_history) if full_history > 0 else 0.0
    return TokenReport(total, budget, full_history, round(saved, 3), counter)


def prefix_report(
    content: str, chosen: Mapping[SectionName, Sequence[Piece]], shelves: Mapping[SectionName, Shelf]
) -> PrefixReport:
    """Return hash and tokens of message 0; no breakpoint when there is no such message."""
    guide = (piece for piece in chosen[SectionName.GUIDE] if piece.part == "guide")
    pieces = [*chosen[SectionName.SYSTEM], *guide, *chosen[SectionName.PROFILE]]
    opening = shelves[SectionName.PROFILE].opening if chosen[SectionName.PROFILE] else None
    tokens = tokens_of((*pieces, *([opening] if opening else ())))
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return PrefixReport(digest, tokens if content else 0, (0,) if content else ())


def decisions_of(
    chosen: Mapping[SectionName, Sequence[Piece]],
    shelves: Mapping[SectionName, Shelf],
    refused: Sequence[tuple[Piece, Reason]],
) -> tuple[Decision, ...]:
    """Return one decision for each candidate: the kept by position, then the others by section and score."""
    reasons = {id(piece): reason for piece, reason in refused}
    kept = [(name, piece) for name in _CANDIDATES for piece in chosen[name]]
    inside = {id(piece) for _, piece in kept}
    outside = [(name, piece) for name in _CANDIDATES for piece in shelves[name].pieces if id(piece) not in inside]
    return (
        *(_decision(name, piece, Reason.KEPT, at) for at, (name, piece) in enumerate(kept, start=1)),
        *(_decision(name, piece, reasons.get(id(piece), Reason.OVER_BUDGET)) for name, piece in outside),
    )


def places_of(chosen: Mapping[SectionName, Sequence[Piece]], prompt: Prompt) -> tuple[Place, ...]:
    """Return where each candidate that is in the prompt stands, by position."""
    kept = [piece for name in _CANDIDATES for piece in chosen[name]]
    return tuple(Place(at, *prompt.spans[id(piece)]) for at, piece in enumerate(kept, start=1))


def _section_report(
    name: SectionName, pieces: Sequence[Piece], shelf: Shelf | None, elsewhere: Set[int]
) -> SectionReport:
    opening = shelf.opening.tokens if shelf and shelf.opening and pieces else 0
    items = sum(1 for piece in pieces if piece.text or piece.origin)
    offered = sum(1 for piece in shelf.pieces if id(piece) not in elsewhere) if shelf else items
    return SectionReport(name, opening + tokens_of(pieces), items, offered - items)


def _decision(name: SectionName, piece: Piece, reason: Reason, position: int | None = None) -> Decision:
    origin = piece.origin
    if not isinstance(origin, MemoryItem | Passage):
        raise TypeError("only memories and passages are candidates")
    judged: dict[str, Any] = {}
    if isinstance(origin, MemoryItem) and name is SectionName.MEMORY:
        judged = {"relevance": origin.relevance, "least": origin.least, "explain": origin.explain}
    return Decision(
        lane=origin.lane,
        id=origin.id,
        kind=origin.kind if isinstance(origin, MemoryItem) else origin.lane,
        section=name,
        score=origin.score,
        tokens=piece.tokens,
        reason=reason,
        position=position,
        guardrail=_guardrail(origin),
        **judged,
        is_vital=isinstance(origin, MemoryItem) and origin.vital,
    )


def _guardrail(origin: MemoryItem | Passage) -> Guardrail | None:
    if origin.untrusted_instruction:
        return Guardrail.INSTRUCTION
    return (origin.looks or LOOKS(origin.text)).guardrail
