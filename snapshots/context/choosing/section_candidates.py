"""The candidates of each section, rendered and counted, in the order in which a budget takes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from snapshots.context.choosing.deduplicate import ContextContents, hash_words, screen_items
from snapshots.context.choosing.profile_facts import may_harm_if_missing, order_facts
from snapshots.context.token_budget import CountedPiece, SectionShelf
from snapshots.context.values import (
    ContextMaterial,
    ContextRequest,
    ContextTurn,
    DecisionReason,
    MemoryItem,
    Passage,
    SectionName,
)
from snapshots.context.writing.memory_guide import render_phase_guidance, render_usage_guide
from snapshots.context.writing.prompt_renderer import PieceRenderer

Refused = list[tuple[CountedPiece, DecisionReason]]


def build_shelves(
    request: ContextRequest, material: ContextMaterial, scribe: PieceRenderer, *, is_small: bool
) -> dict[SectionName, SectionShelf]:
    """Return the shelf of every section that a budget fills. Memories are not screened yet.

    In a small total, the prefix holds only facts that may harm when missing; others compete with the memories.
    """
    turns = drop_echoed_turn(material.turns, request.query)
    window_heading = scribe.render_section_heading(SectionName.WINDOW) if request.format == "text" else None
    standing = [fact for fact in order_facts(material.profile) if not _is_past_plan(fact, request)]
    lasting = [fact for fact in standing if may_harm_if_missing(fact) or not is_small]
    facts = [scribe.render_memory(fact, in_prefix=True) for fact in lasting]
    memories = sorted(material.memories, key=lambda item: -item.score)
    summary = [material.summary] if material.summary else []
    return {
        SectionName.GUIDE: SectionShelf(_build_guide(request, scribe)),
        SectionName.PROFILE: SectionShelf(tuple(facts)),
        SectionName.WINDOW: SectionShelf(
            tuple(map(scribe.render_turn, reversed(turns))), window_heading, unbroken=True
        ),
        SectionName.MEMORY: SectionShelf(tuple(map(scribe.render_memory, memories))),
        SectionName.SUMMARY: _build_passages(SectionName.SUMMARY, summary, scribe),
        SectionName.TASK: _build_passages(SectionName.TASK, material.tasks, scribe),
        SectionName.KNOWLEDGE: _build_passages(SectionName.KNOWLEDGE, material.knowledge, scribe),
    }


def _is_past_plan(fact: MemoryItem, request: ContextRequest) -> bool:
    last = fact.planned_until
    return last is not None and request.at is not None and last < request.at.date()


def drop_echoed_turn(turns: Sequence[ContextTurn], query: str) -> list[ContextTurn]:
    """Return the turns without a last one that repeats the query, which stands last in the prompt anyway. Products post
    a message and then ask for its context."""
    echoed = bool(turns) and turns[-1].role == "user" and (turns[-1].content or "").strip() == query.strip()
    return list(turns[:-1] if echoed else turns)


def order_turns(newest_first: Iterable[CountedPiece]) -> tuple[CountedPiece, ...]:
    """Return the turns oldest first, from the first that can open a conversation. Chat endpoints refuse the answer of a
    tool whose call was left out."""
    turns = list(newest_first)[::-1]
    while turns and isinstance(turns[0].origin, ContextTurn) and turns[0].origin.role == "tool":
        turns.pop(0)
    return tuple(turns)


def drop_untrusted_facts(shelf: SectionShelf) -> tuple[SectionShelf, Refused]:
    """Return the profile's shelf without facts that pose as instructions, and those."""
    posing = {id(p) for p in shelf.pieces if isinstance(p.origin, MemoryItem) and p.origin.is_refused}
    return (
        SectionShelf(tuple(piece for piece in shelf.pieces if id(piece) not in posing), shelf.opening, shelf.unbroken),
        [(piece, DecisionReason.UNTRUSTED_INSTRUCTION) for piece in shelf.pieces if id(piece) in posing],
    )


def screen_memories(shelf: SectionShelf, present: ContextContents) -> tuple[SectionShelf, Refused]:
    """Return the shelf of memories without those that the context holds or must not hold, and those."""
    pieces = {id(piece.origin): piece for piece in shelf.pieces}
    items = [piece.origin for piece in shelf.pieces if isinstance(piece.origin, MemoryItem)]
    kept, refused = screen_items(items, present)
    return (
        SectionShelf(tuple(pieces[id(item)] for item in kept), shelf.opening, shelf.unbroken),
        [(pieces[id(item)], reason) for item, reason in refused],
    )


def build_context_contents(
    sections: Mapping[SectionName, Sequence[CountedPiece]], refused: Refused, turns: Sequence[ContextTurn], query: str
) -> ContextContents:
    """Return the content of prefix and window. A fact that a vital note repeats counts, as does an echoed turn: its
    words are in the prompt as query."""
    said = [piece for piece, reason in refused if reason is DecisionReason.DUPLICATE_OF_PROFILE]
    held = (*sections.get(SectionName.PROFILE, ()), *said)
    facts = [piece.origin for piece in held if isinstance(piece.origin, MemoryItem)]
    spoken = (piece.origin for piece in sections.get(SectionName.WINDOW, ()))
    echoed = turns[len(drop_echoed_turn(turns, query)) :]
    return ContextContents(
        frozenset(turn.key for turn in (*spoken, *echoed) if isinstance(turn, ContextTurn)),
        frozenset((fact.lane, fact.id) for fact in facts),
        frozenset(hash_words(fact.text) for fact in facts),
    )


def _build_guide(request: ContextRequest, scribe: PieceRenderer) -> tuple[CountedPiece, ...]:
    words = render_usage_guide(scribe.language, compact=request.style == "compact", plain=request.format == "plain")
    guide = replace(scribe.render_plain_lines("\n" + words), part="guide") if request.guide else None
    phase = render_phase_guidance(request.phase, scribe.language)
    return tuple(filter(None, (scribe.render_today(), guide, scribe.render_plain_lines(phase) if phase else None)))


def _build_passages(section: SectionName, passages: Iterable[Passage], scribe: PieceRenderer) -> SectionShelf:
    best_first = sorted(passages, key=lambda passage: -passage.score)
    return SectionShelf(tuple(map(scribe.render_passage, best_first)), scribe.render_section_heading(section))
