"""The why page of a receipt: what was offered to one prompt, why it went in or not, and what came of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory_platform.console.explanation.cards import Card, CardContext, cards_of
from memory_platform.console.explanation.memories import load_current_memories
from memory_platform.console.explanation.prompt import PromptMessage, PromptPiece, prompt_messages
from memory_platform.console.explanation.words import ABSTAINED, CAUSES, TIERS
from memory_platform.console.shared.codes import in_words
from memory_platform.console.shared.display import value_whole
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.read import candidates_of, rendered_of

# Length of the bar of sections, in units of its drawing.
BAR_UNITS = 1_000


@dataclass(frozen=True, slots=True)
class SectionBar:
    """One section of a prompt: where it begins in a bar of :data:`BAR_UNITS` and how long it is; ``tone`` by order."""

    name: str
    tokens: int
    items: int
    dropped: int
    start: int
    length: int
    tone: int


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message of a prompt as a page shows it; ``calls`` are those of tools, laid out."""

    role: str
    name: str
    pieces: tuple[PromptPiece, ...]
    calls: str


@dataclass(frozen=True, slots=True)
class ReceiptExplanation:
    """What the page of a receipt shows. ``query`` and ``prompt`` are None once their words were purged.

    ``abstained``: why no memory of the turn went in, "" where one did.
    ``told``: memories of which it is known whether the reply used them, ``used`` those that it did.
    """

    kept: tuple[Card, ...]
    left_out: tuple[Card, ...]
    parts: tuple[SectionBar, ...]
    query: str | None
    prompt: tuple[MessageView, ...] | None
    route: str
    abstained: str
    used: int
    told: int


def why_of(receipt: Receipt) -> ReceiptExplanation:
    """Return the page of a receipt, in the open scope: at most ten queries, however many candidates there are."""
    candidates, rendered = candidates_of(receipt), rendered_of(receipt)
    prompt = prompt_messages(rendered) if rendered else None
    beside = CardContext(
        known=load_current_memories(receipt.subject_id, candidates),
        outcomes=outcomes_of(receipt),
        placed=positions_in(prompt or ()),
        conversation_id=receipt.conversation_id,
        query=rendered.query if rendered else "",
    )
    cards = cards_of(candidates, beside)
    return ReceiptExplanation(
        kept=tuple(card for card in cards if card.position is not None),
        left_out=tuple(card for card in cards if card.position is None),
        parts=tuple(parts_of(receipt.sections, receipt.tokens)),
        query=rendered.query if rendered else None,
        prompt=None if prompt is None else tuple(map(message_view, prompt)),
        route=route_told(receipt.model_route),
        abstained=str(ABSTAINED.get(receipt.abstained, receipt.abstained)),
        used=sum(card.utilised is True for card in cards),
        told=sum(card.utilised is not None for card in cards),
    )


def message_view(said: PromptMessage) -> MessageView:
    """Return a message of a prompt in the reader's words."""
    return MessageView(in_words(said.role), said.name, said.pieces, value_whole(said.calls) if said.calls else "")


def outcomes_of(receipt: Receipt) -> dict[str, ReceiptMemory]:
    """Return what came of the memories in a prompt, by memory id."""
    rows = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id).order_by()
    return {str(row.memory_ref): row for row in rows}


def positions_in(prompt: Iterable[PromptMessage]) -> frozenset[int | None]:
    """Return the positions of the candidates that were found in a prompt's text."""
    return frozenset(piece.position for said in prompt for piece in said.pieces)


def parts_of(sections: Iterable[Mapping[str, Any]], tokens: Mapping[str, Any]) -> Iterator[SectionBar]:
    """Yield the sections of a prompt; the bar is as long as the budget, or as all of them where that is not kept."""
    held = list(sections)
    budget = tokens.get("budget")
    whole = max(sum(one["tokens"] for one in held), budget if isinstance(budget, int) else 0, 1)
    done = 0
    for tone, one in enumerate(held):
        begin, done = done, done + one["tokens"]
        start, end = (BAR_UNITS * place // whole for place in (begin, done))
        name = in_words(one["name"])
        yield SectionBar(name, one["tokens"], one["items"], one["dropped"], start, end - start, tone)


def route_told(kept: Mapping[str, Any] | None) -> str:
    """Return which tier of model the turn called for, and why; "" for a receipt that keeps none."""
    if not kept:
        return ""
    tier, cause = str(kept.get("tier")), str(kept.get("reason"))
    return f"{TIERS.get(tier, tier)}: {CAUSES.get(cause, cause)}"
