"""Fit everything that may go in into a context: one page, top-down.

Pure: no clock, no database, no model. With the same nonce, which the caller draws from
:func:`snapshots.context.writing.fence.new_nonce`, the same input gives the same context, byte for byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_platform.providers.contracts import TokenCounter
from snapshots.context.budget import (
    Piece,
    Room,
    Shelf,
    Slot,
    Step,
    fill_order,
    open_room,
    slots_for,
    take,
    together,
    tokens_of,
)
from snapshots.context.choosing.facts import in_stable_order
from snapshots.context.choosing.prefix import VitalRoom, fill_with_vital, in_order_of_need, in_order_of_time
from snapshots.context.choosing.shelves import (
    Refused,
    in_speaking_order,
    present_in,
    screened_shelf,
    shelves_of,
    trusted_shelf,
)
from snapshots.context.choosing.threshold import Abstained, Threshold, abstain_from, cut_off, passes_any
from snapshots.context.policy import ContextPolicy
from snapshots.context.report import decisions_of, places_of, prefix_report, section_reports, token_report
from snapshots.context.values import (
    AssembledContext,
    ContextRequest,
    Language,
    Material,
    MemoryItem,
    MemoryRoom,
    Order,
    SectionName,
)
from snapshots.context.writing.guide import language_for
from snapshots.context.writing.order import arrange_days, arrange_framed
from snapshots.context.writing.render import Scribe, write_prompt

_MEMORIES = frozenset({SectionName.PROFILE, SectionName.MEMORY})
_REMEMBERED = _MEMORIES | {SectionName.TASK, SectionName.KNOWLEDGE, SectionName.SUMMARY}


@dataclass(frozen=True, slots=True)
class Rules:
    """The order of the sections, the threshold of relevance, and the room of vital notes."""

    order: Sequence[Step]
    threshold: Threshold
    vital: VitalRoom


@dataclass(slots=True)
class Choice:
    """The pieces that go in, by section, and those refused for what they are rather than for their size."""

    pieces: dict[SectionName, tuple[Piece, ...]] = field(default_factory=dict)
    refused: Refused = field(default_factory=list)
    rooms: dict[SectionName, MemoryRoom] = field(default_factory=dict)
    abstained: Abstained | None = None
    # All notes are in it, oldest first.
    is_whole: bool = False


def assemble(
    request: ContextRequest,
    material: Material,
    *,
    counter: TokenCounter,
    nonce: str,
    policy: ContextPolicy | None = None,
) -> AssembledContext:
    """Return the context of ``request`` within its budget, and a decision for every candidate.

    Raises BudgetTooSmall when system prompt and query, which are never cut, do not fit.
    """
    policy = policy or ContextPolicy()
    total = policy.total if request.budget.total is None else request.budget.total
    request = replace(request, style=request.style or ("compact" if total <= policy.small else "grouped"))
    language = _language(request, material)
    scribe = Scribe(counter, nonce, language, request, policy)
    system, query = scribe.block(request.system_prompt, messages=2), scribe.query(request.query)
    room = open_room(total, policy, system_tokens=system.tokens, query_tokens=query.tokens)
    slots = slots_for(request, policy, total=total, system_tokens=system.tokens)
    is_small = total <= policy.small
    shelves = shelves_of(request, material, scribe, is_small=is_small)
    share = policy.vital_share if total >= policy.profile_from else 1.0  # below it limits wait for the question
    is_named = request.budget.profile is not None  # a ceiling that vital notes fill first, whatever is asked
    vital = VitalRoom(
        policy.vital_notes,
        int(share * slots[SectionName.PROFILE].tokens),
        waits=total < policy.profile_from and not is_named,
        fills=is_small and not is_named,
    )
    order = fill_order(policy, total, is_dated=request.at is not None)
    rules = Rules(order, _threshold(request, policy).of(material.needs), vital)
    choice = choose(shelves, slots, room, request, material, rules)
    chosen = {SectionName.SYSTEM: (system,), SectionName.QUERY: (query,), **choice.pieces}
    chosen[SectionName.PROFILE] = together(in_order_of_time(chosen[SectionName.PROFILE], shelves[SectionName.PROFILE]))
    chosen[SectionName.MEMORY] = _order_memories(chosen[SectionName.MEMORY], request.order, is_whole=choice.is_whole)
    sections = section_reports(chosen, shelves, choice.refused)
    prompt = write_prompt(request, chosen, shelves)
    decisions = decisions_of(chosen, shelves, choice.refused)
    return AssembledContext(
        messages=prompt.messages,
        text=prompt.text,
        sections=sections,
        tokens=token_report(sections, budget=total, full_history=material.full_history_tokens, counter=counter.name),
        prefix=prefix_report(prompt.prefix, chosen, shelves),
        decisions=decisions,
        places=places_of(chosen, prompt),
        intent=request.intent,
        phase=request.phase,
        language=language,
        memory_room=choice.rooms[SectionName.MEMORY],
        abstained=choice.abstained,
        threshold=rules.threshold.least,
    )


def choose(
    shelves: Mapping[SectionName, Shelf],
    slots: Mapping[SectionName, Slot],
    room: Room,
    request: ContextRequest,
    material: Material,
    rules: Rules,
) -> Choice:
    """Fill the sections, the most needed first. Memories are screened against prefix and window, and cut off."""
    choice = Choice()
    passes = passes_any(material.memories, rules.threshold, material.needs)
    for at, (name, most) in enumerate(rules.order):
        later = {one for one, _ in rules.order[at + 1 :]}
        held = choice.pieces.get(name, ())
        shelf, refused = _screened(name, shelves[name].beyond(held, most), choice, request, material)
        choice.refused.extend(refused)
        if name is SectionName.PROFILE:
            shelf, refused = in_order_of_need(shelf, rules.vital)
            choice.refused.extend(refused)
        if name is SectionName.MEMORY:
            unused = sum(max(0, slots[one].tokens - shelves[one].demand) for one in later)
            room = replace(room, carried=room.carried + unused)
        # Later sections keep what they need of their own slots.
        reserved = sum(min(slots[one].tokens, shelves[one].demand) for one in later)
        choice.rooms[name] = MemoryRoom(room.carried, room.free - reserved, slots[name].grows == "elastic")
        if name is SectionName.MEMORY:
            fits = min(slots[name].limit_in(room, reserved), room.free)
            passed = cut_off(shelf, rules.threshold, fits, abstains=not passes, vital_first=rules.vital.waits)
            shelf, choice.is_whole = passed.shelf, passed.is_whole
            choice.refused.extend(passed.refused)
        slot = slots[name].beyond(held, shelves[name].opening)
        taken, room = take(shelf, slot, room, reserved=reserved)
        choice.pieces[name] = (*held, *taken)
        if name is SectionName.MEMORY and rules.vital.fills:
            room = fill_prefix(choice, shelves[SectionName.PROFILE], room, rules.vital)
    choice.abstained = abstain_from(choice.pieces[SectionName.MEMORY], material, passes=passes)
    choice.pieces[SectionName.WINDOW] = in_speaking_order(choice.pieces[SectionName.WINDOW])
    idle = _idle_parts(choice)
    choice.pieces[SectionName.GUIDE] = tuple(one for one in choice.pieces[SectionName.GUIDE] if one.part not in idle)
    return choice


def fill_prefix(choice: Choice, shelf: Shelf, room: Room, vital: VitalRoom) -> Room:
    """Give the room that memories leave of a small total to vital notes and limits; return the rest."""
    told = {piece.origin.id for piece in choice.pieces[SectionName.MEMORY] if isinstance(piece.origin, MemoryItem)}
    held = choice.pieces[SectionName.PROFILE]
    trusted, _ = trusted_shelf(shelf)
    filled = choice.pieces[SectionName.PROFILE] = fill_with_vital(held, trusted, vital, room.free, told)
    return replace(room, free=room.free - tokens_of(filled) + tokens_of(held))


def _order_memories(taken: Sequence[Piece], order: Order | None, *, is_whole: bool) -> tuple[Piece, ...]:
    """Return the memories in the caller's order; else a whole memory oldest first, others best at the edges."""
    if is_whole and order is None:
        return arrange_days(together(taken))
    best_first = sorted(taken, key=lambda piece: -piece.origin.score if isinstance(piece.origin, MemoryItem) else 0.0)
    arranged = tuple(arrange_framed(best_first, order or "u_shape"))
    return arrange_days(arranged) if order is None else arranged


def _threshold(request: ContextRequest, policy: ContextPolicy) -> Threshold:
    if request.min_relevance is not None:  # the caller decides what helps, and nothing else comes
        return Threshold(request.min_relevance, strict=True)
    if request.asks_for_all and not request.strict:
        return Threshold(policy.min_relevance, whole=True)
    if request.budget.memory is not None:  # the caller says how much memory it wants: the best that there is
        return Threshold(0.0, strict=request.strict)
    least, filling = policy.min_relevance, policy.filling_relevance
    return Threshold(least, filling, strict=request.strict, need=policy.least_need, sure=policy.sure_need)


def _idle_parts(choice: Choice) -> frozenset[str]:
    """Return the parts of the guide that nobody needs: how to read memories where there are none, and the date."""
    held = {name for name, pieces in choice.pieces.items() if pieces}
    told = {"guide": _MEMORIES, "date": _REMEMBERED}
    return frozenset(part for part, sections in told.items() if held.isdisjoint(sections))


def _screened(
    name: SectionName, shelf: Shelf, choice: Choice, request: ContextRequest, material: Material
) -> tuple[Shelf, Refused]:
    if name is SectionName.PROFILE:
        return trusted_shelf(shelf)
    if name is SectionName.MEMORY:
        present = present_in(choice.pieces, choice.refused, material.turns, request.query)
        return screened_shelf(shelf, present)
    return shelf, []


def _language(request: ContextRequest, material: Material) -> Language:
    return language_for(
        locale=material.profile.locale,
        system_prompt=request.system_prompt,
        tenant_locale=request.tenant_locale,
        said_first=material.said_first,
        remembered=[fact.text for fact in in_stable_order(material.profile)],
        query=request.query,
    )
