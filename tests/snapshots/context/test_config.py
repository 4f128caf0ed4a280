"""The numbers of context assembly. Rows: X1, X2, X5."""

from memory_platform.kernel.number_sources import source_of_numbers
from snapshots.context.config import ContextPolicy
from snapshots.context.values import BudgetRequest


def test_every_number_says_where_it_comes_from() -> None:
    provenance = source_of_numbers(ContextPolicy)
    assert {name for name, origin in provenance.items() if origin.kind == "assumed"} == {
        "summary",
        "task",
        "message_overhead",
        "candidates_most",
        "left_out_noted",
        "texts_remembered",
        "tier",
        "tier_by_intent",
        "raised_turns",
        "good_hit_share",
        "min_relevance",
    }


def test_the_slots_of_a_plain_turn_make_about_5_900_tokens_of_6_000() -> None:
    policy = ContextPolicy()
    assert policy.system + policy.profile + policy.memory + policy.window + policy.query == 5900
    assert policy.total == 6000


def test_an_intent_without_a_slot_of_its_own_asks_for_none() -> None:
    policy = ContextPolicy()
    assert policy.memory_slot_of("small_talk") == 500
    assert policy.memory_slot_of("navigation") is None
    assert policy.memory_slot_of(None) is None


def test_recall_is_asked_for_as_many_memories_as_the_budget_could_hold() -> None:
    policy = ContextPolicy()
    assert policy.compute_candidate_limit(BudgetRequest(), "general") == 200
    assert policy.compute_candidate_limit(BudgetRequest(), "small_talk") == 120
    assert policy.compute_candidate_limit(BudgetRequest(memory=300), "knowledge") == 80
    assert policy.compute_candidate_limit(BudgetRequest(total=400), None) == 100
    assert policy.compute_candidate_limit(BudgetRequest(memory=0), None) == 20
