"""A tenant says what is vital to it, and what becomes of special categories of data. Rows: P9, T4, C1, A10."""

from typing import Any

import pytest

from profiles.models import Preference, ProfileFact
from snapshots.jobs import drain_work_job
from snapshots.models import Message, Note, Snapshot
from snapshots.sensitive.special_categories import find_special_categories
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.context.world import all_content, words_in
from tests.snapshots.notes_held import note_down

ADA = "/v1/subjects/ada"
TALK = f"{ADA}/conversations/c1"
ASTHMA = "My son Theo has asthma and always carries an inhaler"
PORTO = "I live in Porto and I never fly at night"


def steer(caller: Caller, **notes: Any) -> None:
    made = body_of(caller("POST", "/v1/policies", {"changes": {"notes": notes}, "reason": "a test"}))
    number = made["version"]
    activated = caller("POST", f"/v1/policies/{number}/activate", {"reason": "a test"})
    assert activated.status_code == 200, activated.content


def say(caller: Caller, *contents: str, role: str = "user") -> list[dict[str, Any]]:
    messages = [{"role": role, "content": content, "message_id": f"{role}-{content[:9]}"} for content in contents]
    answer = caller("POST", f"{TALK}/messages", {"messages": messages})
    assert answer.status_code == 202, answer.content
    accepted: list[dict[str, Any]] = body_of(answer)["accepted"]
    return accepted


def learn(house: House) -> set[str]:
    drain_work_job(tenant_id=str(house.tenant.id))
    with tenant_tx(house.tenant.id):
        held = set(Snapshot.objects.values_list("text", flat=True))
        return held | {str(one.value) for model in (Preference, ProfileFact) for one in model._default_manager.all()}


def prompt(caller: Caller, query: str, conversation: str | None = None) -> str:
    asked = {"query": query, "conversation_id": conversation}
    return all_content(body_of(caller("POST", f"{ADA}/context", asked))["messages"])


def prefix(caller: Caller) -> str:
    told: str = body_of(caller("POST", f"{ADA}/context", {"query": "What now?"}))["messages"][0]["content"]
    return told


def test_by_default_everything_is_learned_and_all_classes_are_vital(acme: Caller, world: World) -> None:
    assert [one["verdict"] for one in say(acme, ASTHMA, PORTO)] == ["stored", "stored"]
    assert ASTHMA in learn(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert list(Note.objects.exclude(vital_class="").values_list("vital_class", flat=True)) == ["illness"]


def test_context_only_keeps_it_to_its_own_conversation(acme: Caller, world: World) -> None:
    steer(acme, special_categories="context_only")
    first, second = say(acme, ASTHMA, PORTO)
    assert (first["verdict"], first["reason"]) == ("stored", "special_category")
    assert (second["verdict"], "reason" in second) == ("stored", False)
    held = learn(world.acme)
    assert not any("asthma" in text or "inhaler" in text for text in held)
    assert PORTO in held
    assert ASTHMA in prompt(acme, "What should Theo pack?", "c1")
    assert "asthma" not in prompt(acme, "What should Theo pack?")


@pytest.mark.parametrize("told", ["Prawns make me come out in a rash", "我一吃芒果嘴唇就肿,呼吸都困难"])
def test_what_no_word_names_is_found_by_the_reader(acme: Caller, world: World, told: str) -> None:
    assert not find_special_categories(told)
    steer(acme, special_categories="refuse")
    assert [one["verdict"] for one in say(acme, told, PORTO)] == ["rejected", "stored"]


def test_refuse_stores_nothing_and_says_so(acme: Caller, globex: Caller, world: World) -> None:
    steer(acme, special_categories="refuse")
    first, second = say(acme, ASTHMA, PORTO)
    assert (first["verdict"], first["reason"], first["seq"]) == ("rejected", "special_category", None)
    assert (second["verdict"], second["seq"]) == ("stored", 1)
    assert say(acme, "As Theo has asthma, pack his inhaler", role="assistant")[0]["verdict"] == "rejected"
    assert say(acme, ASTHMA, PORTO) == [first, {**second, "verdict": "duplicate"}]
    assert not any("asthma" in text for text in learn(world.acme))
    with tenant_tx(world.acme.tenant.id):
        assert list(Message.objects.values_list("content", flat=True)) == [PORTO]
    assert "asthma" not in prompt(acme, "What should Theo pack?", "c1")
    assert say(globex, ASTHMA)[0]["verdict"] == "stored"  # another tenant's policy is its own


def test_a_class_that_is_not_wanted_is_no_longer_vital(acme: Caller, world: World) -> None:
    note_down(world.acme, "Theo has asthma", vital_class="illness")
    note_down(world.acme, "Nuts make me ill", vital_class="allergy")
    assert {"Theo has asthma", "Nuts make me ill"} <= set(words_in(prefix(acme)))
    steer(acme, vital_classes=["allergy"])
    assert words_in(prefix(acme)) == ["Nuts make me ill"]
    say(acme, ASTHMA, "I can't have penicillin, it gives me hives")
    learn(world.acme)
    with tenant_tx(world.acme.tenant.id):
        read = Note.objects.exclude(vital_class="").exclude(reader_version="")
        assert list(read.values_list("vital_class", flat=True)) == ["allergy"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"special_categories": "forget"}, "notes.special_categories"),
        ({"special_categories": None}, "notes.special_categories"),
        ({"vital_classes": ["allergy", "taste"]}, "notes.vital_classes"),
        ({"vital_classes": "allergy"}, "notes.vital_classes"),
        ({"vital_classes": [["allergy"]]}, "notes.vital_classes"),
        ({"vital_classes": {"allergy": True}}, "notes.vital_classes"),
    ],
)
def test_what_is_no_such_value_is_refused(acme: Caller, wrong: dict[str, Any], field: str) -> None:
    problem = problem_of(acme("POST", "/v1/policies", {"changes": {"notes": wrong}, "reason": "a test"}), 400)
    assert fields_of(problem) == {f"changes.{field}"}
