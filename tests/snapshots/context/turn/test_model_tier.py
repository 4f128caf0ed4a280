"""Which tier of model a turn calls for: by intent, raised by a correction, back with a good hit. Row: X8."""

import pytest

from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.turn.model_tier import Tier, TierRoute, choose_tier_route, is_answered_well
from snapshots.context.turn.turn_classifiers import INTENTS
from snapshots.context.values import MemoryItem


def route_turn(
    intent: str | None, *, corrected: bool = False, before: TierRoute | None = None, good_hit: bool = False
) -> TierRoute:
    return choose_tier_route(
        intent, corrected=corrected, before=before, good_hit=lambda: good_hit, policy=DEFAULT_CONTEXT
    )


def make_item(text: str, *, confidence: float = 0.9) -> MemoryItem:
    return MemoryItem("preferences", "1", "preference", text, confidence, "confirmed_by_user")


@pytest.mark.parametrize(
    ("intent", "tier"),
    [
        ("small_talk", "light"),
        ("navigation", "light"),
        ("task", "middle"),
        ("general", "middle"),
        ("recommendation", "middle"),
        ("complaint", "middle"),
        ("an intent of the caller's own", "middle"),
        (None, "middle"),
    ],
)
def test_the_intent_names_a_tier(intent: str | None, tier: Tier) -> None:
    assert route_turn(intent) == TierRoute(tier, "intent")


def test_no_intent_calls_for_a_strong_model_by_itself() -> None:
    assert {route_turn(intent).tier for intent in INTENTS} == {"light", "middle"}


def test_a_correction_raises_the_turn_until_something_good_is_found() -> None:
    raised = route_turn("navigation", corrected=True)
    assert raised == TierRoute("strong", "corrected", 1)
    still = route_turn("navigation", before=raised)
    assert still == TierRoute("strong", "unsettled", 2)
    assert route_turn("navigation", before=still, good_hit=True) == TierRoute("light", "settled")
    assert route_turn("navigation", before=TierRoute("light", "settled")) == TierRoute("light", "intent")


def test_a_raised_tier_does_not_last_for_ever() -> None:
    route = route_turn("task", corrected=True)
    reasons = [route.reason]
    for _ in range(4):
        route = route_turn("task", before=route)
        reasons.append(route.reason)
    assert reasons == ["corrected", "unsettled", "unsettled", "intent", "intent"]


def test_a_second_correction_raises_anew_whatever_was_found() -> None:
    before = TierRoute("strong", "unsettled", 3)
    assert route_turn("small_talk", corrected=True, before=before, good_hit=True) == TierRoute("strong", "corrected", 1)


@pytest.mark.parametrize(
    ("query", "text", "confidence", "good"),
    [
        ("Which seat do I like?", "likes window seats", 0.9, True),
        ("我喜欢坐哪个位置", "喜欢坐靠窗的位置", 0.9, True),
        ("Which seat do I like?", "likes window seats", 0.6, False),
        ("Which seat do I like?", "allergic to peanuts", 0.9, False),
        ("", "likes window seats", 0.9, False),
    ],
)
def test_a_good_hit_is_sure_and_about_what_is_asked(query: str, text: str, confidence: float, good: bool) -> None:
    assert is_answered_well(query, [make_item(text, confidence=confidence)], DEFAULT_CONTEXT) is good
