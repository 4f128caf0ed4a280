"""Facts of a profile in words and in a stable order. Rows: P2, P3, P6, X9."""

import random

import pytest

from profiles.prompt_lines import TagParts
from profiles.provenance_and_verdict import describe_value
from snapshots.context.choosing.profile_facts import (
    FactCertainty,
    make_preference_fact,
    make_profile_fact,
    make_tag_fact,
    order_facts,
)
from snapshots.context.values import StandingProfile
from tests.snapshots.context.world import ADA, SEEN, SURE


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("程序员", "程序员"),
        (["chess", "tea"], "chess, tea"),
        (True, "yes"),
        (False, "no"),
        (23, "23"),
        (21.5, "21.5"),
        (None, ""),
        ({"min": 20, "max": 23, "unit": None}, "min: 20; max: 23"),
        ([["a", "b"], {"c": [1, None]}], "a, b, c: 1"),
    ],
)
def test_a_json_value_reads_as_a_person_would_write_it(value: object, words: str) -> None:
    assert describe_value(value) == words


def test_a_preference_is_its_key_and_value_under_its_category() -> None:
    fact = make_preference_fact("p-9", ("navigation", "avoid_highway"), True, SURE)
    assert (fact.text, fact.category, fact.kind, fact.lane) == (
        "avoid highway: yes",
        "navigation",
        "preference",
        "preferences",
    )


def test_a_tag_is_its_label_and_what_it_points_at() -> None:
    assert make_tag_fact("t-9", TagParts("mum", "contact", phone="+44 20 7946 0000", relation="mother"), SURE).text == (
        "mum: mother, +44 20 7946 0000"
    )
    assert make_tag_fact("t-8", TagParts("公司", "place"), SURE).text == "公司"


def test_the_order_does_not_depend_on_the_order_of_rows() -> None:
    shuffled = StandingProfile(
        fields=tuple(random.sample(ADA.fields, len(ADA.fields))),
        attributes=ADA.attributes,
        preferences=ADA.preferences[::-1],
        tags=ADA.tags,
    )
    assert order_facts(shuffled) == order_facts(ADA)


def test_what_does_harm_when_missing_comes_before_taste_and_trivia() -> None:
    taste = make_preference_fact("p-2", ("music", "likes"), ["jazz"], SURE)
    limit = make_preference_fact("p-3", ("shopping", "budget_limit"), 500, FactCertainty(0.6, "observation"))
    profile = StandingProfile(
        fields=(make_profile_fact("locale", "en-GB", SURE), make_profile_fact("name", "Ada", SURE)),
        preferences=(taste, limit, *ADA.preferences),
        tags=ADA.tags,
    )
    ids = [fact.id for fact in order_facts(profile)]
    assert set(ids[:2]) == {"p-1", "p-3"}
    assert ids[2:] == ["name", "locale", "p-2", "t-1"]


def test_a_fact_without_a_value_is_no_fact() -> None:
    assert order_facts(StandingProfile(fields=(make_profile_fact("mbti", None, SEEN),))) == []
