"""Who gets how many tokens: slots, elastic slots, drop order, whole items. Rows: X1, X2, X9."""

import os
from dataclasses import replace
from datetime import UTC, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.context.config import ContextPolicy
from snapshots.context.token_budget import (
    BudgetTooSmall,
    CountedPiece,
    SectionShelf,
    SectionSlot,
    TokenRoom,
    choose_fitting_pieces,
)
from snapshots.context.turn.turn_classifiers import INTENTS
from snapshots.context.values import (
    AssembledContext,
    BudgetRequest,
    CandidateLane,
    ContextMaterial,
    ContextRequest,
    Passage,
    SectionName,
    StandingProfile,
)
from tests.snapshots.context.world import (
    ADA,
    COUNTER,
    NOBODY,
    SINCE,
    context,
    kept_ids,
    memory,
    passage,
    report,
    turns,
    within,
)

DROPPED_FIRST_TO_LAST = (
    SectionName.KNOWLEDGE,
    SectionName.TASK,
    SectionName.SUMMARY,
    SectionName.MEMORY,
    SectionName.WINDOW,
    SectionName.PROFILE,
    SectionName.GUIDE,
)
ONE_ORDER = ContextPolicy(small=0, profile_from=1, profile_share=1.0)
FULL = ContextMaterial(
    profile=ADA,
    memories=tuple(memory(n) for n in range(6)),
    turns=turns(6),
    summary=passage("summary"),
    tasks=(passage("tasks", 0), passage("tasks", 1)),
    knowledge=(passage("documents", 0), passage("documents", 1), passage("documents", 2)),
)


def items(result: AssembledContext) -> dict[SectionName, int]:
    return {section.name: section.items for section in result.sections}


def pieces(*costs: int) -> tuple[CountedPiece, ...]:
    return tuple(CountedPiece("x", cost) for cost in costs)


# Whole items into slots


def test_an_item_larger_than_the_slot_is_passed_over_for_smaller_ones() -> None:
    taken, room = choose_fitting_pieces(
        SectionShelf(pieces(50, 200, 30)), SectionSlot(100, "never"), TokenRoom(free=1000)
    )
    assert [piece.tokens for piece in taken] == [50, 30]
    assert room == TokenRoom(free=920, carried=20, closed=False)


def test_turns_stop_at_the_first_that_does_not_fit() -> None:
    taken, _ = choose_fitting_pieces(
        SectionShelf(pieces(50, 200, 30), unbroken=True), SectionSlot(100, "never"), TokenRoom(free=1000)
    )
    assert [piece.tokens for piece in taken] == [50]


def test_a_heading_costs_its_tokens_only_where_something_stands_under_it() -> None:
    shelf = SectionShelf(pieces(50), opening=CountedPiece("heading", 10))
    assert choose_fitting_pieces(shelf, SectionSlot(60, "never"), TokenRoom(free=1000))[1].free == 940
    assert choose_fitting_pieces(shelf, SectionSlot(59, "never"), TokenRoom(free=1000)) == (
        (),
        TokenRoom(free=1000, carried=59),
    )


def test_an_item_that_only_the_total_refuses_closes_the_room() -> None:
    assert choose_fitting_pieces(SectionShelf(pieces(80)), SectionSlot(100, "never"), TokenRoom(free=70))[1].closed
    assert not choose_fitting_pieces(SectionShelf(pieces(120)), SectionSlot(100, "never"), TokenRoom(free=70))[1].closed
    assert (
        choose_fitting_pieces(SectionShelf(pieces(1)), SectionSlot(100, "never"), TokenRoom(free=70, closed=True))[0]
        == ()
    )


def test_elastic_growth_leaves_what_later_sections_need() -> None:
    room = TokenRoom(free=300, carried=200)
    assert SectionSlot(100).limit_in_room(room, reserved=0) == 300
    assert SectionSlot(100).limit_in_room(room, reserved=50) == 250
    assert SectionSlot(100, "never").limit_in_room(room, reserved=0) == 100


# Slots by section and intent


@pytest.mark.parametrize(
    ("intent", "slot"),
    [
        ("small_talk", 500),
        ("knowledge", 1000),
        ("complaint", 2000),
        ("recommendation", 3000),
        ("preference_confirmation", 4000),
    ],
)
def test_the_memory_slot_follows_the_intent_that_the_caller_names(intent: str, slot: int) -> None:
    result = context(ContextMaterial(memories=tuple(memory(n) for n in range(600))), intent=intent)
    tokens = report(result, SectionName.MEMORY)[1]
    assert slot - 100 < tokens <= slot


@pytest.mark.parametrize("intent", INTENTS)
@pytest.mark.parametrize("total", [300, 1000, 6000, 20_000])
@pytest.mark.sampled
def test_an_intent_that_was_read_sizes_nothing(intent: str, total: int) -> None:
    memories = tuple(memory(n) for n in range(500))
    material = replace(FULL, memories=memories, turns=turns(60, "We talked about the weather and the sea " * 20))
    read = context(material, intent=intent, intent_read=True, budget=within(total))
    unread = context(material, budget=within(total))
    assert (read.sections, read.tokens, read.messages) == (unread.sections, unread.tokens, unread.messages)


def test_what_later_sections_have_no_use_for_goes_to_memory() -> None:
    memories = tuple(memory(n) for n in range(600))
    full = ContextMaterial(memories=memories, turns=turns(60, "We talked about the weather and the sea " * 20))
    alone = report(context(full), SectionName.MEMORY)[1]
    knowledge = tuple(passage("documents", n, "A passage about batteries") for n in range(100))
    beside = replace(full, knowledge=knowledge)
    shared = report(context(beside), SectionName.MEMORY)[1]
    assert ContextPolicy().memory - 100 < shared <= ContextPolicy().memory < alone


def test_a_slot_named_by_the_caller_is_a_ceiling_and_outranks_the_intent() -> None:
    material = ContextMaterial(memories=tuple(memory(n) for n in range(600)))
    result = context(material, intent="recommendation", budget=within(6000, memory=700))
    assert 600 < report(result, SectionName.MEMORY)[1] <= 700


def test_what_an_empty_window_leaves_goes_to_memory_when_nobody_named_its_slot() -> None:
    material = ContextMaterial(memories=tuple(memory(n) for n in range(600)))
    tokens = report(context(material), SectionName.MEMORY)[1]
    assert tokens > ContextPolicy().memory + ContextPolicy().window - 200


def test_what_memory_leaves_goes_to_knowledge() -> None:
    knowledge = tuple(passage("documents", n, "A long passage about batteries " * 5) for n in range(200))
    result = context(ContextMaterial(knowledge=knowledge), intent="knowledge")
    assert report(result, SectionName.KNOWLEDGE)[1] > 4000


def test_elastic_memory_does_not_starve_knowledge_of_its_own_slot() -> None:
    memories = tuple(memory(n) for n in range(600))
    knowledge = tuple(passage("documents", n, "A passage about batteries") for n in range(100))
    result = context(ContextMaterial(memories=memories, knowledge=knowledge))
    assert report(result, SectionName.KNOWLEDGE)[1] > 900
    assert report(result, SectionName.MEMORY)[1] > 2000


def test_a_large_total_does_not_buy_more_memory_than_the_slots_together() -> None:
    result = context(ContextMaterial(memories=tuple(memory(n) for n in range(800))), budget=within(128_000))
    policy = ContextPolicy()
    slots = (policy.system, policy.profile, policy.memory, policy.window, policy.query)
    assert result.tokens.total <= sum(slots) + policy.summary + policy.task + policy.knowledge


def test_the_profile_slot_takes_nothing_from_others_and_no_advice_from_the_intent() -> None:
    profile = ContextMaterial(profile=type(ADA)(attributes=tuple(memory(n, lane="profile") for n in range(50))))
    sizes = {report(context(profile, intent=i), SectionName.PROFILE)[1] for i in (None, "small_talk", "recommendation")}
    assert len(sizes) == 1
    assert 500 < sizes.pop() <= 600


# Drop order


def test_everything_is_there_when_there_is_room() -> None:
    assert all(items(context(FULL, phase="opening", system_prompt="Be kind."))[name] for name in SectionName)


def test_sections_leave_one_by_one_in_the_promised_order() -> None:
    whole = context(FULL, policy=ONE_ORDER, system_prompt="Be kind.")
    full, previous, left = items(whole), items(whole), []
    for total in range(whole.tokens.total, 60, -1):
        now = items(context(FULL, policy=ONE_ORDER, system_prompt="Be kind.", budget=within(total)))
        for name, before in pairwise(DROPPED_FIRST_TO_LAST):
            assert not now[name] or now[before] == full[before], f"{before} lost items at {total} while {name} had some"
        assert all(now[name] <= previous[name] for name in now)
        left += [name for name in DROPPED_FIRST_TO_LAST if previous[name] and not now[name]]
        previous = now
    assert tuple(left) == DROPPED_FIRST_TO_LAST


def test_memory_leaves_from_the_lowest_score() -> None:
    whole = context(FULL).tokens.total
    for total in range(whole, 60, -10):
        kept = sorted(i for i in kept_ids(context(FULL, budget=within(total))) if i.startswith("m-"))
        assert kept == [f"m-{n}" for n in range(len(kept))]


def test_the_window_leaves_from_the_oldest() -> None:
    material = ContextMaterial(turns=turns(6))
    whole = context(material).tokens.total
    for total in range(whole, 20, -5):
        spoken = [m["content"][-1] for m in context(material, budget=within(total)).messages if m["role"] != "system"]
        assert spoken[:-1] == [str(n) for n in range(6)][6 - len(spoken[:-1]) :]


def test_a_window_does_not_begin_with_the_answer_of_a_tool_whose_call_was_left_out() -> None:
    called = turns(1)[0].__class__("c", "assistant", None, tool_calls=({"id": "c1", "function": {"name": "route"}},))
    answer = turns(1)[0].__class__("a", "tool", "12 minutes", tool_call_id="c1")
    after = turns(2)[1]
    result = context(ContextMaterial(turns=(called, answer, after)), budget=within(6000, window=25))
    assert [m["role"] for m in result.messages] == ["assistant", "user"]
    assert report(result, SectionName.WINDOW)[0] == 1


def test_a_small_total_goes_to_what_harms_the_last_turns_and_facts_before_the_guide() -> None:
    vital = memory(7, "Nuts close my throat", kind="note", vital=True)
    material = replace(FULL, profile=replace(ADA, notes=(vital, memory(8, "I run at six", kind="note"))))
    kept = [kept_ids(context(material, budget=within(total))) for total in (260, 1000, 1001)]
    assert kept[0][:2] == ["m-7", "p-1"], "what harms when it is missing"
    assert "m-8" not in kept[1]
    assert "m-8" in kept[2]
    by_total = {total: items(context(material, budget=within(total))) for total in range(60, 500, 10)}
    assert all(found[SectionName.WINDOW] <= 2 for found in by_total.values() if not found[SectionName.GUIDE])
    assert all(found[SectionName.MEMORY] == 6 for found in by_total.values() if found[SectionName.GUIDE])


def test_the_prefix_takes_two_fifths_of_a_total_at_most_and_less_of_a_tiny_one() -> None:
    notes = tuple(memory(n, f"Nuts close my throat {'so fast ' * 15}{n}", kind="note", vital=True) for n in range(80))
    sizes = {
        total: report(
            context(ContextMaterial(StandingProfile(notes=notes)), budget=within(total)), SectionName.PROFILE
        )[1]
        for total in (150, 400, 500, 1_000, 6_000)
    }
    # What memories leave of a small total, vital notes take.
    assert all(0.6 * total <= size <= total for total, size in sizes.items() if total <= 1_000)
    assert 580 < sizes[6_000] <= 600


# What is never cut


def test_system_prompt_and_query_are_never_cut() -> None:
    prompt, query = "Rules. " * 700, "Why? " * 300
    result = context(FULL, query, system_prompt=prompt, budget=within(2400))
    assert result.messages[0]["content"].startswith(prompt.strip())
    assert result.messages[-1] == {"role": "user", "content": query.strip()}


def test_a_budget_below_system_prompt_and_query_says_what_is_needed() -> None:
    with pytest.raises(BudgetTooSmall) as refused:
        context(FULL, system_prompt="Rules. " * 700, budget=within(500))
    needed = refused.value.needed
    assert refused.value.code == "budget_too_small"
    assert refused.value.extras == {"needed": needed}
    result = context(FULL, system_prompt="Rules. " * 700, budget=within(needed))
    assert result.tokens.total == needed
    with pytest.raises(BudgetTooSmall):
        context(FULL, system_prompt="Rules. " * 700, budget=within(needed - 1))


# The promise of the total

CASES = int(os.environ.get("BUDGET_CASES", "200"))
"""`make test-budgets` tries 10,000."""

texts = st.text(st.sampled_from("ab1 _'.<>\"&\n我，é🙂п\u202e"), min_size=1, max_size=60) | st.sampled_from(
    ["word " * 400, "以后别走延安高架。" * 60]
)
lanes = st.sampled_from(["snapshots", "preferences"])
kinds = st.sampled_from(["statement", "note", "reply"])
memories = st.lists(st.tuples(texts, st.floats(0, 1), lanes, kinds, st.booleans()), max_size=8)
slot = st.none() | st.integers(0, 8000)


@st.composite
def draw_profile(draw: st.DrawFn) -> StandingProfile:
    """Draw somebody's facts, and the notes that stand in a prefix: vital ones, doubted ones, of several days."""
    said = enumerate(draw(st.lists(texts, max_size=8)))
    noted = enumerate(draw(st.lists(st.tuples(texts, st.booleans(), st.booleans(), st.integers(0, 2)), max_size=12)))
    return StandingProfile(
        attributes=tuple(memory(n, text, lane="profile") for n, text in said),
        notes=tuple(
            memory(
                100 + n,
                text,
                kind="note",
                vital=vital,
                valid_since=SINCE + timedelta(days=day),
                doubted_since=SINCE + timedelta(days=9) if doubted else None,
            )
            for n, (text, vital, doubted, day) in noted
        ),
    )


def passages(lane: CandidateLane, contents: list[str]) -> tuple[Passage, ...]:
    return tuple(Passage(lane, f"{lane}-{n}", content) for n, content in enumerate(contents))


@st.composite
def materials(draw: st.DrawFn) -> ContextMaterial:
    drawn = enumerate(draw(memories))
    said = enumerate(draw(st.lists(texts, max_size=6)))
    return ContextMaterial(
        profile=draw(st.sampled_from([ADA, NOBODY]) | draw_profile()),
        memories=tuple(
            memory(n, text, score=score, lane=lane, kind=kind, vital=vital)
            for n, (text, score, lane, kind, vital) in drawn
        ),
        turns=tuple(turn for n, text in said for turn in turns(n + 1, text)[n:]),
        summary=draw(st.none() | st.builds(Passage, st.just("summary"), st.just("summary-0"), texts)),
        tasks=passages("tasks", draw(st.lists(texts, max_size=2))),
        knowledge=passages("documents", draw(st.lists(texts, max_size=3))),
        full_history_tokens=draw(st.integers(0, 10**6)),
    )


requests = st.builds(
    ContextRequest,
    query=texts,
    system_prompt=texts | st.just(""),
    budget=st.builds(
        BudgetRequest,
        total=st.integers(200, 128_000) | st.integers(200, 1500),
        system=slot,
        profile=slot,
        memory=slot,
        window=slot,
        knowledge=slot,
    ),
    intent=st.sampled_from([None, "small_talk", "recommendation", "preference_confirmation", "navigation"]),
    phase=st.sampled_from([None, "opening", "after_sales"]),
    at=st.none() | st.datetimes(timezones=st.just(UTC)),
    format=st.sampled_from(["messages", "text", "plain"]),
    style=st.sampled_from([None, "grouped", "compact", "full"]),
    order=st.sampled_from([None, "u_shape", "relevance_first"]),
)


@pytest.mark.slow
@settings(max_examples=CASES, deadline=None)
@given(requests, materials())
def test_the_total_is_never_over_budget_and_bounds_what_is_sent(
    request_: ContextRequest, material: ContextMaterial
) -> None:
    total = request_.budget.total or 0
    fields = {name: getattr(request_, name) for name in ContextRequest.__slots__ if name != "query"}
    try:
        result = context(material, request_.query, **fields)
    except BudgetTooSmall as refused:
        assert refused.needed > total
        return
    assert result.tokens.total <= total
    assert result.tokens.total == sum(section.tokens for section in result.sections)
    assert 0 <= result.tokens.saved_ratio <= 1
    sent = result.text or "".join(f"{m['content']}\n" for m in result.messages)
    overhead = ContextPolicy().message_overhead * len(result.messages)
    assert COUNTER.count(sent) + overhead <= result.tokens.total + len(result.messages)
    for section in result.sections:
        assert section.items == 0 or section.tokens > 0
        assert section.dropped >= 0
    for name in ("profile", "memory", "window", "knowledge"):
        named = getattr(request_.budget, name)
        assert named is None or report(result, SectionName(name))[1] <= named


def test_a_window_that_is_filled_in_two_goes_opens_once_within_its_budget() -> None:
    said = tuple(turn for n in range(3) for turn in turns(n + 1, "1")[n:])
    material = ContextMaterial(profile=NOBODY, turns=said, knowledge=passages("documents", ["word " * 90]))
    for named in range(15, 60):
        budget = BudgetRequest(total=560, window=named, knowledge=300)
        result = context(material, "1", budget=budget, format="text")
        assert report(result, SectionName.WINDOW)[1] <= named
