"""The candidates of each section, rendered and counted, in the order in which a budget takes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from snapshots.context.budget import Piece, Shelf
from snapshots.context.choosing.dedupe import Present, fold_words, screened
from snapshots.context.choosing.facts import in_stable_order, may_harm
from snapshots.context.values import ContextRequest, Material, MemoryItem, Passage, Reason, SectionName, WindowTurn
from snapshots.context.writing.guide import phase_guidance, usage_guide
from snapshots.context.writing.render import Scribe

Refused = list[tuple[Piece, Reason]]


def shelves_of(
    request: ContextRequest, material: Material, scribe: Scribe, *, is_small: bool
) -> dict[SectionName, Shelf]:
    """Return the shelf of every section that a budget fills. Memories are not screened yet.

    The prefix of a small total holds only what does harm when missing; its other notes compete with the memories.
    """
    turns = without_echo(material.turns, request.query)
    window_heading = scribe.heading(SectionName.WINDOW) if request.format == "text" else None
    standing = [fact for fact in in_stable_order(material.profile) if not _is_past(fact, request)]
    lasting = [fact for fact in standing if may_harm(fact) or not is_small]
    facts = [scribe.memory(fact, in_prefix=True) for fact in lasting]
    memories = sorted(material.memories, key=lambda item: -item.score)
    summary = [material.summary] if material.summary else []
    return {
        SectionName.GUIDE: Shelf(_guide(request, scribe)),
        SectionName.PROFILE: Shelf(tuple(facts)),
        SectionName.WINDOW: Shelf(tuple(map(scribe.turn, reversed(turns))), window_heading, unbroken=True),
        SectionName.MEMORY: Shelf(tuple(map(scribe.memory, memories))),
        SectionName.SUMMARY: _passages(SectionName.SUMMARY, summary, scribe),
        SectionName.TASK: _passages(SectionName.TASK, material.tasks, scribe),
        SectionName.KNOWLEDGE: _passages(SectionName.KNOWLEDGE, material.knowledge, scribe),
    }


def _is_past(fact: MemoryItem, request: ContextRequest) -> bool:
    """Return whether a fact is a dated plan whose last day is over."""
    last = fact.planned_until
    return last is not None and request.at is not None and last < request.at.date()


def without_echo(turns: Sequence[WindowTurn], query: str) -> list[WindowTurn]:
    """Return the turns without a last one that repeats the query, which stands last in the prompt anyway.

    Products post a message and then ask for its context.
    """
    echoed = bool(turns) and turns[-1].role == "user" and (turns[-1].content or "").strip() == query.strip()
    return list(turns[:-1] if echoed else turns)


def in_speaking_order(newest_first: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the turns oldest first, from the first that can open a conversation.

    Chat endpoints refuse the answer of a tool whose call was left out.
    """
    turns = list(newest_first)[::-1]
    while turns and isinstance(turns[0].origin, WindowTurn) and turns[0].origin.role == "tool":
        turns.pop(0)
    return tuple(turns)


def trusted_shelf(shelf: Shelf) -> tuple[Shelf, Refused]:
    """Return the profile's shelf without facts that pose as instructions, and those."""
    posing = {id(p) for p in shelf.pieces if isinstance(p.origin, MemoryItem) and p.origin.is_refused}
    return (
        Shelf(tuple(piece for piece in shelf.pieces if id(piece) not in posing), shelf.opening, shelf.unbroken),
        [(piece, Reason.UNTRUSTED_INSTRUCTION) for piece in shelf.pieces if id(piece) in posing],
    )


def screened_shelf(shelf: Shelf, present: Present) -> tuple[Shelf, Refused]:
    """Return the shelf of memories without those that the context holds or must not hold, and those."""
    pieces = {id(piece.origin): piece for piece in shelf.pieces}
    items = [piece.origin for piece in shelf.pieces if isinstance(piece.origin, MemoryItem)]
    kept, refused = screened(items, present)
    return (
        Shelf(tuple(pieces[id(item)] for item in kept), shelf.opening, shelf.unbroken),
        [(pieces[id(item)], reason) for item, reason in refused],
    )


def present_in(
    chosen: Mapping[SectionName, Sequence[Piece]], refused: Refused, turns: Sequence[WindowTurn], query: str
) -> Present:
    """Return what prefix and window hold.

    A fact counts that a vital note repeats, and so does an echoed turn: its words are in the prompt as the query.
    """
    said = [piece for piece, reason in refused if reason is Reason.DUPLICATE_OF_PROFILE]
    held = (*chosen.get(SectionName.PROFILE, ()), *said)
    facts = [piece.origin for piece in held if isinstance(piece.origin, MemoryItem)]
    spoken = (piece.origin for piece in chosen.get(SectionName.WINDOW, ()))
    echoed = turns[len(without_echo(turns, query)) :]
    return Present(
        frozenset(turn.key for turn in (*spoken, *echoed) if isinstance(turn, WindowTurn)),
        frozenset((fact.lane, fact.id) for fact in facts),
        frozenset(fold_words(fact.text) for fact in facts),
    )


def _guide(request: ContextRequest, scribe: Scribe) -> tuple[Piece, ...]:
    words = usage_guide(scribe.language, compact=request.style == "compact", plain=request.format == "plain")
    guide = replace(scribe.block("\n" + words), part="guide") if request.guide else None
    phase = phase_guidance(request.phase, scribe.language)
    return tuple(filter(None, (scribe.today(), guide, scribe.block(phase) if phase else None)))


def _passages(section: SectionName, passages: Iterable[Passage], scribe: Scribe) -> Shelf:
    best_first = sorted(passages, key=lambda passage: -passage.score)
    return Shelf(tuple(map(scribe.passage, best_first)), scribe.heading(section))
