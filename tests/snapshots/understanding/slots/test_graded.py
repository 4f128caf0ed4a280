"""Rows that need a grade fill slots as a worker reads, for the user alone and once; what another speaks in a message
makes neither slot nor note. Rows: P2, P3, P9, A4, T1."""

import pytest

from profiles.models import Preference, ProfileFact
from profiles.selectors import current_profile
from snapshots.models import Message, Note, Work
from snapshots.queue.enqueue import enqueue_messages
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import say, settle

CLOT = "eliquis twice daily, since the clot in March"


def attributes(house: House) -> dict[str, object]:
    with tenant_tx(house.tenant.id):
        held = current_profile(house.subject)
        return dict(held.get("attributes") or {})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (CLOT, {"medication": ["eliquis"]}),
        ("医生说我有慢性咽炎,粉笔灰一呛就咳", {"conditions": ["慢性咽炎"]}),
        ("Is eliquis taken twice daily?", {}),
        ("Marcus my head brewer has asthma", {}),
        ("My neighbour takes eliquis twice daily, since the clot in March", {}),
    ],
)
def test_what_a_graded_clause_tells_of_the_user(world: World, said: str, told: dict[str, object]) -> None:
    say(world.acme, said)
    settle(world.acme)
    found = {field: value for field, value in attributes(world.acme).items() if field in ("medication", "conditions")}
    assert found == told
    assert attributes(world.globex) == {}


def test_a_second_delivery_fills_nothing_twice(world: World) -> None:
    say(world.acme, CLOT)
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        Work.objects.all().delete()
        enqueue_messages(list(Message.objects.select_related("conversation")))
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert ProfileFact.objects.filter(field="medication").count() == 1


@pytest.mark.parametrize("said", ["Sue: I live in Cork and work nights at the hospital", "小明:我住在上海,每天上夜班"])
def test_what_another_says_in_a_message_makes_no_note(world: World, said: str) -> None:
    say(world.acme, said)
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert not Note.objects.exists()
    assert attributes(world.acme) == {}


@pytest.mark.parametrize(
    "said",
    [
        "I no longer live in Paris, too expensive",
        "I never lived in Rome",
        "I never worked for Siemens",
        "Nobody in my family has diabetes",
        "I don't have asthma",
        "我家没人有糖尿病",
        "我从没在上海住过",
        "我不带肾上腺素笔了",
    ],
)
def test_what_is_denied_fills_nothing(world: World, said: str) -> None:
    say(world.acme, said)
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert not ProfileFact.objects.exists()


@pytest.mark.parametrize("how", ["severe", "mild", "life-threatening", "new"])
def test_how_bad_an_allergy_is_is_no_allergy(world: World, how: str) -> None:
    say(world.acme, f"I have a {how} allergy to latex")
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert [row.value for row in Preference.objects.filter(key="allergies")] == [["latex"]]
