"""One fact stands under one key, whoever says it in which language. Rows: P3, P9, A3."""

from typing import Any

import pytest

from lab.measuring.single_message_reading import build_graded_context
from profiles.provenance_and_verdict import describe_value
from profiles.services.quantities import parse_quantity
from snapshots.models import Note
from snapshots.understanding.slots.slot_reading import read_slots
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.understanding.making import preferences, say, settle
from tests.snapshots.understanding.slots.describing import describe

GIVEN: list[tuple[str, dict[str, Any]]] = [
    ("I avoid highways", {"navigation/avoid": ["highways"]}),
    ("我不敢上高速", {"navigation/avoid": ["高速"]}),
    ("Never use emojis with me", {"answer/avoid": ["emojis"]}),
    ("always reply without emojis", {"answer/avoid": ["emojis"]}),
    ("From now on no jargon please", {"answer/avoid": ["jargon"]}),
    ("以后别用表情", {"answer/avoid": ["表情"]}),
    ("别给我发表情包", {"answer/avoid": ["表情包"]}),
    ("Use metric units from now on", {"answer/units": "metric"}),
    ("metric please, always", {"answer/units": "metric"}),
    ("Keep it short and skip the emojis from now on", {"answer/length": "short", "answer/avoid": ["emojis"]}),
    ("以后简短点,别用表情", {"answer/length": "简短", "answer/avoid": ["表情"]}),
    ("I always want the seat heating on 3", {"vehicle/seat_heating": {"value": 3, "unit": "level"}}),
    ("座椅加热平时都开2档", {"vehicle/seat_heating": {"value": 2, "unit": "level"}}),
    ("I have celiac disease", {"conditions": ["celiac disease"]}),
    ("我有乳糜泻", {"conditions": ["乳糜泻"]}),
    ("I'm on a gluten-free diet", {"food/diet": "gluten-free"}),
    ("我房租每月不能超过3000", {"general/rent_limit": "3000"}),
]


@pytest.mark.parametrize(("text", "gives"), GIVEN)
def test_a_fact_stands_under_its_one_key(text: str, gives: dict[str, Any]) -> None:
    assert describe(read_slots(text, build_graded_context(text), message_key="m")) == gives


@pytest.mark.parametrize("text", ["买鞋不超过八百", "健身每月不超过五百", "副驾座椅加热一直开到二档"])
def test_what_has_no_name_of_ascii_fills_no_slot(text: str) -> None:
    assert read_slots(text, build_graded_context(text), message_key="m") == []


@pytest.mark.parametrize("said", ["2档", "二级", "level 2"])
def test_a_level_is_one_in_either_language(said: str) -> None:
    held = {"value": 2, "unit": "level"}
    assert describe_value(held) == "level 2"
    assert parse_quantity(held) == parse_quantity(said)


@pytest.mark.parametrize("text", ["I have celiac disease", "我有乳糜泻"])
def test_an_illness_is_a_vital_note_and_no_diet(world: World, text: str) -> None:
    say(world.acme, text)
    settle(world.acme)
    assert preferences(world.acme) == {}
    with tenant_tx(world.acme.tenant.id):
        assert list(Note.objects.values_list("snapshot__text", "vital_class")) == [(text, "allergy")]
