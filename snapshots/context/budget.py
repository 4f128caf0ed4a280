"""Who gets how many tokens (X1, X2, X9): slots by section and intent, and whole items taken into them.

Sections are filled in the reverse of the drop order (knowledge, tasks, summary, memory from the lowest score, window
from the oldest, profile, guide). Once the total refuses an item, everything that would have been dropped before it
stays out as well: filling this way leaves exactly what dropping would have left, without trying twice.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from snapshots.context.errors import BudgetTooSmall
from snapshots.context.policy import ContextPolicy
from snapshots.context.values import BudgetRequest, MemoryItem, Passage, SectionName, WindowTurn

FILL_ORDER = (
    SectionName.GUIDE,
    SectionName.PROFILE,
    SectionName.WINDOW,
    SectionName.MEMORY,
    SectionName.SUMMARY,
    SectionName.TASK,
    SectionName.KNOWLEDGE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One whole item as it would stand in the prompt, its tokens with framing, and what it was made from."""

    text: str
    tokens: int
    origin: MemoryItem | Passage | WindowTurn | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """Tokens of one section. ``grows`` "elastic": also into what the sections filled before it left over; "never":
    the slot is a ceiling; "freely": as far as the total allows (the guide, which shares the system prompt's slot)."""

    tokens: int
    grows: Literal["elastic", "never", "freely"] = "elastic"

    def limit_in(self, room: "Room", reserved: int) -> int:
        """Return the tokens that the section may have as far as slots are concerned, whatever the total says."""
        if self.grows == "elastic":
            return self.tokens + max(0, min(room.carried, room.free - self.tokens - reserved))
        return self.tokens if self.grows == "never" else sys.maxsize


@dataclass(frozen=True, slots=True)
class Room:
    """What is left: ``free`` of the total, ``carried`` over from the slots so far; ``closed`` once the total bit."""

    free: int
    carried: int = 0
    closed: bool = False

    def with_more(self, tokens: int) -> "Room":
        """Return the room with ``tokens`` more carried over, of slots that nobody has a use for."""
        return Room(self.free, self.carried + tokens, self.closed)


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one section offers: pieces in the order in which they are taken, and what stands above the first.

    ``unbroken``: nothing is taken beyond the first piece that does not fit (turns of a conversation have no gaps).
    """

    pieces: tuple[Piece, ...] = ()
    opening: Piece | None = None
    unbroken: bool = False

    @property
    def demand(self) -> int:
        """Tokens of everything offered."""
        return sum(piece.tokens for piece in self.pieces) + (self.opening.tokens if self.opening else 0)


def slots_for(
    budget: BudgetRequest, intent: str | None, policy: ContextPolicy, *, system_tokens: int, intent_read: bool = False
) -> dict[SectionName, Slot]:
    """Return the slot of every section that is filled. A slot named by the caller, or by an intent that it names, is a
    ceiling; one by an intent that was read grows, because a reading may be wrong, except that small talk stays small.

    ``system_tokens``: what the system prompt takes of the slot that it shares with the guide.
    """
    by_intent = policy.memory_slot_of(intent)
    grows = by_intent is None or (intent_read and intent not in policy.memory_kept_small)
    system = policy.system if budget.system is None else budget.system
    return {
        SectionName.GUIDE: Slot(max(0, system - system_tokens), grows="freely"),
        SectionName.PROFILE: Slot(policy.profile if budget.profile is None else budget.profile, grows="never"),
        SectionName.WINDOW: _slot(budget.window, policy.window),
        SectionName.MEMORY: _slot(budget.memory, policy.memory if by_intent is None else by_intent, grows=grows),
        SectionName.SUMMARY: Slot(policy.summary),
        SectionName.TASK: Slot(policy.task),
        SectionName.KNOWLEDGE: _slot(budget.knowledge, policy.knowledge),
    }


def open_room(total: int, policy: ContextPolicy, *, system_tokens: int, query_tokens: int) -> Room:
    """Return the room beside system prompt and query. Raises BudgetTooSmall when they do not fit into ``total``."""
    needed = system_tokens + query_tokens
    if needed > total:
        raise BudgetTooSmall(needed=needed, total=total)
    return Room(free=total - needed, carried=max(0, policy.query - query_tokens))


def take(shelf: Shelf, slot: Slot, room: Room, *, reserved: int = 0) -> tuple[tuple[Piece, ...], Room]:
    """Return the pieces of ``shelf`` that fit, and the room left. ``reserved`` tokens stay out of elastic growth.

    A piece larger than the slot is passed over; a piece that only the total refuses closes the room.
    """
    wanted = slot.limit_in(room, reserved)
    limit = 0 if room.closed else min(wanted, room.free)
    taken: list[Piece] = []
    used, opening, closed = 0, shelf.opening.tokens if shelf.opening else 0, room.closed
    for piece in shelf.pieces:
        with_it = used + piece.tokens + (0 if taken else opening)
        if with_it <= limit:
            taken.append(piece)
            used = with_it
            continue
        closed = closed or with_it <= wanted
        if shelf.unbroken:
            break
    return tuple(taken), Room(room.free - used, room.carried + max(0, slot.tokens - used), closed)


def reserved_below(
    section: SectionName, shelves: Mapping[SectionName, Shelf], slots: Mapping[SectionName, Slot]
) -> int:
    """Return the tokens that the sections filled after ``section`` need of their own slots."""
    later: Iterable[SectionName] = FILL_ORDER[FILL_ORDER.index(section) + 1 :]
    return sum(min(slots[name].tokens, shelves[name].demand) for name in later)


def unused_below(section: SectionName, shelves: Mapping[SectionName, Shelf], slots: Mapping[SectionName, Slot]) -> int:
    """Return the tokens that the sections filled after ``section`` have no use for in their own slots."""
    later: Iterable[SectionName] = FILL_ORDER[FILL_ORDER.index(section) + 1 :]
    return sum(max(0, slots[name].tokens - shelves[name].demand) for name in later)


def _slot(named: int | None, default: int, *, grows: bool = True) -> Slot:
    return Slot(default, grows="elastic" if grows else "never") if named is None else Slot(named, grows="never")
