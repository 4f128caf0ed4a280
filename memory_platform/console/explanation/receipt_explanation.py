"""The explanation page of a receipt: the candidates of one prompt, the decision on each, and the outcome."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory_platform.console.explanation.candidate_cards import CandidateCard, CardContext, build_cards
from memory_platform.console.explanation.current_memories import load_current_memories
from memory_platform.console.explanation.explanation_texts import (
    ABSTENTION_TEXTS,
    MODEL_TIER_LABELS,
    ROUTE_REASON_LABELS,
)
from memory_platform.console.explanation.prompt_pieces import PromptMessage, PromptPiece, split_prompt
from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.rendering import render_value
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.read import list_explained_candidates, unpack_rendered_prompt

# Length of the bar of sections, in units of its drawing.
BAR_UNITS = 1_000


@dataclass(frozen=True, slots=True)
class SectionBar:
    """One section of a prompt as a part of a bar of :data:`BAR_UNITS`; ``tone`` counts the sections."""

    name: str
    tokens: int
    items: int
    dropped: int
    start: int
    length: int
    tone: int


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message of a prompt as a page shows it; ``calls``: tool calls as HTML."""

    role: str
    name: str
    pieces: tuple[PromptPiece, ...]
    calls: str


@dataclass(frozen=True, slots=True)
class ReceiptExplanation:
    """The content of a receipt's page. ``query`` and ``prompt`` are None once their text was purged.

    ``abstained``: why the prompt holds no memory, "" if it holds one. ``told``: the number of memories of which it is
    known whether the reply used them; ``used``: how many it used.
    """

    kept: tuple[CandidateCard, ...]
    left_out: tuple[CandidateCard, ...]
    parts: tuple[SectionBar, ...]
    query: str | None
    prompt: tuple[MessageView, ...] | None
    route: str
    abstained: str
    used: int
    told: int


def explain_receipt(receipt: Receipt) -> ReceiptExplanation:
    """Return the content of a receipt's page, in the open scope. At most ten queries for any number of candidates."""
    candidates, rendered = list_explained_candidates(receipt), unpack_rendered_prompt(receipt)
    prompt = split_prompt(rendered) if rendered else None
    outcomes = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id)
    beside = CardContext(
        known=load_current_memories(receipt.subject_id, candidates),
        outcomes={str(row.memory_ref): row for row in outcomes.order_by()},
        found_positions=frozenset(piece.position for message in prompt or () for piece in message.pieces),
        conversation_id=receipt.conversation_id,
        query=rendered.query if rendered else "",
    )
    cards = build_cards(candidates, beside)
    return ReceiptExplanation(
        kept=tuple(card for card in cards if card.position is not None),
        left_out=tuple(card for card in cards if card.position is None),
        parts=tuple(build_section_bars(receipt.sections, receipt.tokens)),
        query=rendered.query if rendered else None,
        prompt=None if prompt is None else tuple(map(render_message, prompt)),
        route=render_route(receipt.model_route),
        abstained=str(ABSTENTION_TEXTS.get(receipt.abstained, receipt.abstained)),
        used=sum(card.utilised is True for card in cards),
        told=sum(card.utilised is not None for card in cards),
    )


def render_message(said: PromptMessage) -> MessageView:
    return MessageView(
        render_code(said.role), said.name, said.pieces, render_value(said.tool_calls) if said.tool_calls else ""
    )


def build_section_bars(sections: Iterable[Mapping[str, Any]], tokens: Mapping[str, Any]) -> Iterator[SectionBar]:
    """Yield the sections of a prompt. The bar is as long as the budget; without one, as all sections together."""
    held = list(sections)
    budget = tokens.get("budget")
    whole = max(sum(one["tokens"] for one in held), budget if isinstance(budget, int) else 0, 1)
    done = 0
    for tone, one in enumerate(held):
        begin, done = done, done + one["tokens"]
        start, end = (BAR_UNITS * place // whole for place in (begin, done))
        name = render_code(one["name"])
        yield SectionBar(name, one["tokens"], one["items"], one["dropped"], start, end - start, tone)


def render_route(kept: Mapping[str, Any] | None) -> str:
    """Return the model tier of the turn and the reason; "" for a receipt without one."""
    if not kept:
        return ""
    tier, cause = str(kept.get("tier")), str(kept.get("reason"))
    return f"{MODEL_TIER_LABELS.get(tier, tier)}: {ROUTE_REASON_LABELS.get(cause, cause)}"
