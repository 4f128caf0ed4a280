"""Token budgets: slots by section and intent, and whole items taken into them.

Sections are filled in the reverse of the drop order (knowledge, tasks, summary, memory from the lowest score, window
from the oldest, profile, guide). Once the total refuses an item, everything that would have been dropped before it
stays out as well: filling keeps exactly the items that dropping would keep, in one pass.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from memory_platform.kernel.errors import FieldFault, Refused
from snapshots.context.config import ContextPolicy
from snapshots.context.values import ContextRequest, ContextTurn, MemoryItem, Passage, SectionName

_BEGINNING = datetime.min.replace(tzinfo=UTC)
_LAST = (SectionName.SUMMARY, SectionName.TASK, SectionName.KNOWLEDGE)
FILL_ORDER = (SectionName.GUIDE, SectionName.PROFILE, SectionName.WINDOW, SectionName.MEMORY, *_LAST)

# A section to fill, and with how many pieces at most.
Step = tuple[SectionName, int | None]


class BudgetTooSmall(Refused):
    """System prompt and query, which are never cut, do not fit into ``budget.total``."""

    code = "budget_too_small"

    def __init__(self, *, needed: int, total: int) -> None:
        message = f"System prompt and query alone need {needed} tokens; budget.total is {total}."
        super().__init__(message, faults=[FieldFault("budget.total", "too_small", message)])
        self.needed = needed
        self.extras = {"needed": needed}  # members of the problem document


@dataclass(frozen=True, slots=True, eq=False)
class LineFrame:
    """An element or a date that holds lines together, and the tokens of opening and closing it. Two frames may look the
    same; a renderer makes each once, and pieces in one frame stand together."""

    opening: str
    closing: str
    tokens: int


Frames = tuple[LineFrame, ...]


@dataclass(frozen=True, slots=True)
class CountedPiece:
    """One whole item as it would stand in the prompt, with its tokens and its source.

    ``frames`` are the element and the date that it stands in with other pieces, the outer first; empty if it stands
    alone. ``part`` distinguishes the pieces of the guide.
    """

    text: str
    tokens: int
    origin: MemoryItem | Passage | ContextTurn | None = None
    frames: Frames = ()
    part: Literal["", "guide", "date"] = ""

    @property
    def source_memory(self) -> MemoryItem | None:
        return self.origin if isinstance(self.origin, MemoryItem) else None

    @property
    def since(self) -> datetime:
        """Since when its memory holds; the earliest moment where that is not known."""
        return (self.source_memory and self.source_memory.valid_since) or _BEGINNING


def group_by_frame(pieces: Iterable[CountedPiece]) -> tuple[CountedPiece, ...]:
    """Return pieces grouped by frame, frames in the order of their first; undated ones stand before dates."""
    held = list(pieces)
    places = {
        frames: at
        for at, frames in enumerate(dict.fromkeys(open_ for one in held for open_ in list_nested_frames(one)))
    }
    return tuple(sorted(held, key=lambda piece: [places[frames] for frames in list_nested_frames(piece)]))


def list_nested_frames(piece: CountedPiece) -> tuple[Frames, ...]:
    """Return the frames of a piece, each with those around it, the outer first."""
    return tuple(piece.frames[: depth + 1] for depth in range(len(piece.frames)))


@dataclass(frozen=True, slots=True)
class SectionSlot:
    """Tokens of one section. ``grows``: "elastic" also uses tokens left by earlier sections, "never" is a ceiling,
    "freely" as far as the total allows (the guide, which shares the system prompt's slot)."""

    tokens: int
    grows: Literal["elastic", "never", "freely"] = "elastic"

    def subtract_pieces(self, pieces: Sequence["CountedPiece"], opening: "CountedPiece | None" = None) -> "SectionSlot":
        opened = opening.tokens if opening and pieces else 0
        return replace(self, tokens=max(0, self.tokens - count_tokens(pieces) - opened))

    def limit_in_room(self, room: "TokenRoom", reserved: int) -> int:
        """Return the tokens that the section may take, whatever the total says."""
        if self.grows == "elastic":
            return self.tokens + max(0, min(room.carried, room.free - self.tokens - reserved))
        return self.tokens if self.grows == "never" else sys.maxsize


@dataclass(frozen=True, slots=True)
class TokenRoom:
    """Tokens left: ``free`` of the total, ``carried`` over from earlier slots; ``closed`` once the total refused a
    piece."""

    free: int
    carried: int = 0
    closed: bool = False


@dataclass(frozen=True, slots=True)
class SectionShelf:
    """The pieces that one section offers, in the order in which they are taken, and its heading. ``unbroken``: nothing
    is taken after a piece that does not fit (turns of a conversation have no gaps)."""

    pieces: tuple[CountedPiece, ...] = ()
    opening: CountedPiece | None = None
    unbroken: bool = False

    def drop_first_pieces(self, pieces: Sequence[CountedPiece], most: int | None = None) -> "SectionShelf":
        opening = None if pieces else self.opening
        return replace(self, pieces=self.pieces[len(pieces) :][:most], opening=opening)

    @property
    def demand(self) -> int:
        """Tokens of everything offered."""
        return count_tokens(self.pieces) + (self.opening.tokens if self.opening else 0)


def count_tokens(pieces: Iterable[CountedPiece]) -> int:
    """Return the tokens of pieces with their frames, each of which is opened once."""
    held = list(pieces)
    opened = {frames for piece in held for frames in list_nested_frames(piece)}
    return sum(piece.tokens for piece in held) + sum(frames[-1].tokens for frames in opened)


def choose_fill_order(policy: ContextPolicy, total: int, *, is_dated: bool) -> tuple[Step, ...]:
    """Return the sections in the order in which they are filled. Of a small total, the date, the last turns and
    memories come before the guide and the rest of the window."""
    if total > policy.small:
        return tuple((name, None) for name in FILL_ORDER)
    date = (SectionName.GUIDE, int(is_dated))
    first = (date, (SectionName.PROFILE, None), (SectionName.WINDOW, policy.last_turns), (SectionName.MEMORY, None))
    return (*first, *((name, None) for name in (SectionName.GUIDE, SectionName.WINDOW, *_LAST)))


def choose_slots(
    request: ContextRequest, policy: ContextPolicy, *, total: int, system_tokens: int
) -> dict[SectionName, SectionSlot]:
    """Return the slot of every section. A slot that the caller, or its intent, names is a ceiling.

    ``system_tokens``: tokens of the system prompt, which shares its slot with the guide.
    """
    budget = request.budget
    of_memory = policy.memory_slot_of(request.intent_named) if budget.memory is None else budget.memory
    profile = limit_profile_tokens(total, policy) if budget.profile is None else budget.profile
    system = policy.system if budget.system is None else budget.system
    return {
        SectionName.GUIDE: SectionSlot(max(0, system - system_tokens), grows="freely"),
        SectionName.PROFILE: SectionSlot(profile, grows="never"),
        SectionName.WINDOW: _make_slot(budget.window, policy.window),
        SectionName.MEMORY: _make_slot(of_memory, policy.memory),
        SectionName.SUMMARY: SectionSlot(policy.summary),
        SectionName.TASK: SectionSlot(policy.task),
        SectionName.KNOWLEDGE: _make_slot(budget.knowledge, policy.knowledge),
    }


def limit_profile_tokens(total: int, policy: ContextPolicy) -> int:
    falling = policy.profile_share * total * min(1.0, total / policy.profile_from)
    most = min(policy.profile, policy.profile_share * total)
    return int(min(most, max(falling, policy.profile_least)))


def compute_token_room(total: int, policy: ContextPolicy, *, system_tokens: int, query_tokens: int) -> TokenRoom:
    """Return the room beside system prompt and query. Raises BudgetTooSmall when they do not fit into ``total``."""
    needed = system_tokens + query_tokens
    if needed > total:
        raise BudgetTooSmall(needed=needed, total=total)
    return TokenRoom(free=total - needed, carried=max(0, policy.query - query_tokens))


def choose_fitting_pieces(
    shelf: SectionShelf, slot: SectionSlot, room: TokenRoom, *, reserved: int = 0
) -> tuple[tuple[CountedPiece, ...], TokenRoom]:
    """Return the pieces of ``shelf`` that fit, and the room left; ``reserved`` tokens stay out of elastic growth. A
    piece larger than the slot is passed over; a piece that only the total refuses closes the room."""
    wanted = slot.limit_in_room(room, reserved)
    limit = 0 if room.closed else min(wanted, room.free)
    taken: list[CountedPiece] = []
    opened: set[Frames] = set()
    used, opening, closed = 0, shelf.opening.tokens if shelf.opening else 0, room.closed
    for piece in shelf.pieces:
        frames = sum(one[-1].tokens for one in list_nested_frames(piece) if one not in opened)
        with_it = used + piece.tokens + frames + (0 if taken else opening)
        if with_it <= limit:
            taken.append(piece)
            opened.update(list_nested_frames(piece))
            used = with_it
            continue
        closed = closed or with_it <= wanted
        if shelf.unbroken:
            break
    return tuple(taken), TokenRoom(room.free - used, room.carried + max(0, slot.tokens - used), closed)


def _make_slot(tokens: int | None, default: int) -> SectionSlot:
    return SectionSlot(default) if tokens is None else SectionSlot(tokens, grows="never")
