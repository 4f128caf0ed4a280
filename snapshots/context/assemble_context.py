"""Fit everything that may go in into a context: one page, top-down.

Pure: no clock, no database, no model. With the same nonce, which the caller draws from
:func:`snapshots.context.writing.prompt_fence.make_nonce`, the same input gives the same context, byte for byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_platform.providers.contracts import TokenCounter
from snapshots.context.choosing.prefix_facts import VitalRoom, add_vital_facts, order_by_time, order_prefix_shelf
from snapshots.context.choosing.profile_facts import order_facts
from snapshots.context.choosing.relevance_threshold import (
    AbstainReason,
    RelevanceThreshold,
    cut_off_irrelevant,
    find_abstain_reason,
    is_any_relevant,
)
from snapshots.context.choosing.section_candidates import (
    Refused,
    build_context_contents,
    build_shelves,
    drop_untrusted_facts,
    order_turns,
    screen_memories,
)
from snapshots.context.config import ContextPolicy
from snapshots.context.context_report import (
    list_decisions,
    list_prompt_spans,
    make_prefix_report,
    make_section_reports,
    make_token_report,
)
from snapshots.context.token_budget import (
    CountedPiece,
    SectionShelf,
    SectionSlot,
    Step,
    TokenRoom,
    choose_fill_order,
    choose_fitting_pieces,
    choose_slots,
    compute_token_room,
    count_tokens,
    group_by_frame,
)
from snapshots.context.values import (
    AssembledContext,
    ContextMaterial,
    ContextRequest,
    Language,
    MemoryItem,
    MemoryOrder,
    MemoryRoom,
    SectionName,
)
from snapshots.context.writing.memory_guide import choose_guide_language
from snapshots.context.writing.memory_order import arrange_by_frame, sort_within_days
from snapshots.context.writing.prompt_renderer import PieceRenderer, write_prompt

_MEMORIES = frozenset({SectionName.PROFILE, SectionName.MEMORY})
_REMEMBERED = _MEMORIES | {SectionName.TASK, SectionName.KNOWLEDGE, SectionName.SUMMARY}


@dataclass(frozen=True, slots=True)
class FillRules:
    """The order of the sections, the threshold of relevance, and the room of vital notes."""

    order: Sequence[Step]
    threshold: RelevanceThreshold
    vital: VitalRoom


@dataclass(slots=True)
class ChosenPieces:
    """The chosen pieces by section, and those refused for a reason other than their size."""

    pieces: dict[SectionName, tuple[CountedPiece, ...]] = field(default_factory=dict)
    refused: Refused = field(default_factory=list)
    rooms: dict[SectionName, MemoryRoom] = field(default_factory=dict)
    abstained: AbstainReason | None = None
    # All notes are in it, oldest first.
    is_whole: bool = False


def assemble_context(
    request: ContextRequest,
    material: ContextMaterial,
    *,
    counter: TokenCounter,
    nonce: str,
    policy: ContextPolicy | None = None,
) -> AssembledContext:
    """Return the context of ``request`` within its budget, and a decision for every candidate. Raises BudgetTooSmall
    when system prompt and query, which are never cut, do not fit."""
    policy = policy or ContextPolicy()
    total = policy.total if request.budget.total is None else request.budget.total
    request = replace(request, style=request.style or ("compact" if total <= policy.small else "grouped"))
    language = _choose_language(request, material)
    scribe = PieceRenderer(counter, nonce, language, request, policy)
    system, query = scribe.render_plain_lines(request.system_prompt, messages=2), scribe.render_query(request.query)
    room = compute_token_room(total, policy, system_tokens=system.tokens, query_tokens=query.tokens)
    slots = choose_slots(request, policy, total=total, system_tokens=system.tokens)
    is_small = total <= policy.small
    shelves = build_shelves(request, material, scribe, is_small=is_small)
    share = policy.vital_share if total >= policy.profile_from else 1.0  # below it limits wait for the question
    is_named = request.budget.profile is not None  # a ceiling that vital notes fill first, whatever is asked
    vital = VitalRoom(
        policy.vital_notes,
        int(share * slots[SectionName.PROFILE].tokens),
        waits=total < policy.profile_from and not is_named,
        fills=is_small and not is_named,
    )
    order = choose_fill_order(policy, total, is_dated=request.at is not None)
    rules = FillRules(order, _choose_threshold(request, policy).for_need(material.needs), vital)
    choice = choose_pieces(shelves, slots, room, request, material, rules)
    chosen = {SectionName.SYSTEM: (system,), SectionName.QUERY: (query,), **choice.pieces}
    chosen[SectionName.PROFILE] = group_by_frame(
        order_by_time(chosen[SectionName.PROFILE], shelves[SectionName.PROFILE])
    )
    chosen[SectionName.MEMORY] = _order_memories(chosen[SectionName.MEMORY], request.order, is_whole=choice.is_whole)
    sections = make_section_reports(chosen, shelves, choice.refused)
    prompt = write_prompt(request, chosen, shelves)
    decisions = list_decisions(chosen, shelves, choice.refused)
    return AssembledContext(
        messages=prompt.messages,
        text=prompt.text,
        sections=sections,
        tokens=make_token_report(
            sections, budget=total, full_history=material.full_history_tokens, counter=counter.name
        ),
        prefix=make_prefix_report(prompt.prefix, chosen, shelves),
        decisions=decisions,
        places=list_prompt_spans(chosen, prompt),
        intent=request.intent,
        phase=request.phase,
        language=language,
        memory_room=choice.rooms[SectionName.MEMORY],
        abstained=choice.abstained,
        threshold=rules.threshold.least,
    )


def choose_pieces(
    shelves: Mapping[SectionName, SectionShelf],
    slots: Mapping[SectionName, SectionSlot],
    room: TokenRoom,
    request: ContextRequest,
    material: ContextMaterial,
    rules: FillRules,
) -> ChosenPieces:
    """Fill the sections, the most needed first. Memories are screened against prefix and window, and cut off."""
    choice = ChosenPieces()
    passes = is_any_relevant(material.memories, rules.threshold, material.needs)
    demand = {name: shelf.demand for name, shelf in shelves.items()}
    for at, (name, most) in enumerate(rules.order):
        later = {one for one, _ in rules.order[at + 1 :]}
        held = choice.pieces.get(name, ())
        shelf, refused = _screen_shelf(name, shelves[name].drop_first_pieces(held, most), choice, request, material)
        choice.refused.extend(refused)
        if name is SectionName.PROFILE:
            shelf, refused = order_prefix_shelf(shelf, rules.vital)
            choice.refused.extend(refused)
        if name is SectionName.MEMORY:
            unused = sum(max(0, slots[one].tokens - demand[one]) for one in later)
            room = replace(room, carried=room.carried + unused)
        # Later sections keep what they need of their own slots.
        reserved = sum(min(slots[one].tokens, demand[one]) for one in later)
        choice.rooms[name] = MemoryRoom(room.carried, room.free - reserved, slots[name].grows == "elastic")
        if name is SectionName.MEMORY:
            fits = min(slots[name].limit_in_room(room, reserved), room.free)
            passed = cut_off_irrelevant(
                shelf, rules.threshold, fits, abstains=not passes, vital_first=rules.vital.waits
            )
            shelf, choice.is_whole = passed.shelf, passed.is_whole
            choice.refused.extend(passed.refused)
        slot = slots[name].subtract_pieces(held, shelves[name].opening)
        taken, room = choose_fitting_pieces(shelf, slot, room, reserved=reserved)
        choice.pieces[name] = (*held, *taken)
        if name is SectionName.MEMORY and rules.vital.fills:
            room = add_vital_facts_to_prefix(choice, shelves[SectionName.PROFILE], room, rules.vital)
    choice.abstained = find_abstain_reason(choice.pieces[SectionName.MEMORY], material, passes=passes)
    choice.pieces[SectionName.WINDOW] = order_turns(choice.pieces[SectionName.WINDOW])
    idle = _list_unneeded_parts(choice)
    choice.pieces[SectionName.GUIDE] = tuple(one for one in choice.pieces[SectionName.GUIDE] if one.part not in idle)
    return choice


def add_vital_facts_to_prefix(
    choice: ChosenPieces, shelf: SectionShelf, room: TokenRoom, vital: VitalRoom
) -> TokenRoom:
    """Give the room that memories leave of a small total to vital notes and limits; return the rest."""
    told = {piece.origin.id for piece in choice.pieces[SectionName.MEMORY] if isinstance(piece.origin, MemoryItem)}
    held = choice.pieces[SectionName.PROFILE]
    trusted, _ = drop_untrusted_facts(shelf)
    filled = choice.pieces[SectionName.PROFILE] = add_vital_facts(held, trusted, vital, room.free, told)
    return replace(room, free=room.free - count_tokens(filled) + count_tokens(held))


def _order_memories(
    pieces: Sequence[CountedPiece], order: MemoryOrder | None, *, is_whole: bool
) -> tuple[CountedPiece, ...]:
    """Return the memories in the caller's order; else a whole memory oldest first, others best at the edges."""
    if is_whole and order is None:
        return sort_within_days(group_by_frame(pieces))
    best_first = sorted(pieces, key=lambda piece: -piece.origin.score if isinstance(piece.origin, MemoryItem) else 0.0)
    arranged = tuple(arrange_by_frame(best_first, order or "u_shape"))
    return sort_within_days(arranged) if order is None else arranged


def _choose_threshold(request: ContextRequest, policy: ContextPolicy) -> RelevanceThreshold:
    if request.min_relevance is not None:  # the caller decides what helps, and nothing else comes
        return RelevanceThreshold(request.min_relevance, strict=True)
    if request.asks_for_all and not request.strict:
        return RelevanceThreshold(policy.min_relevance, whole=True)
    if request.budget.memory is not None:  # the caller says how much memory it wants: the best that there is
        return RelevanceThreshold(0.0, strict=request.strict)
    least, need, sure = policy.min_relevance, policy.least_need, policy.sure_need
    return RelevanceThreshold(least, strict=request.strict, need=need, sure=sure)


def _list_unneeded_parts(choice: ChosenPieces) -> frozenset[str]:
    """Return the parts of the guide to leave out because no memory needs them: how to read memories, and the date."""
    held = {name for name, pieces in choice.pieces.items() if pieces}
    told = {"guide": _MEMORIES, "date": _REMEMBERED}
    return frozenset(part for part, sections in told.items() if held.isdisjoint(sections))


def _screen_shelf(
    name: SectionName, shelf: SectionShelf, choice: ChosenPieces, request: ContextRequest, material: ContextMaterial
) -> tuple[SectionShelf, Refused]:
    if name is SectionName.PROFILE:
        return drop_untrusted_facts(shelf)
    if name is SectionName.MEMORY:
        present = build_context_contents(choice.pieces, choice.refused, material.turns, request.query)
        return screen_memories(shelf, present)
    return shelf, []


def _choose_language(request: ContextRequest, material: ContextMaterial) -> Language:
    return choose_guide_language(
        locale=material.profile.locale,
        system_prompt=request.system_prompt,
        tenant_locale=request.tenant_locale,
        said_first=material.said_first,
        remembered=[fact.text for fact in order_facts(material.profile)],
        query=request.query,
    )
