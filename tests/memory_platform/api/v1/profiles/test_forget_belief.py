"""A preference, a profile field or a tag is forgotten over the API, with proof. Rows: E8, D1."""

from collections.abc import Callable

import pytest

from profiles.models import Tag
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, correct_tag, retire_memory
from tenants.isolation import tenant_tx
from tenants.models import ActorKind
from tenants.services.audit import Actor
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.wall import rows_of

ADA = "/v1/subjects/ada"
GIL = "/v1/subjects/gil"
CANARY = "kestrel4711"

Hold = Callable[[Caller], tuple[str, dict[str, str]]]


def hits(house: House) -> list[str]:
    words = (CANARY, CANARY.encode().hex())
    return [table for table, rows in rows_of(house.tenant.id).items() if any(w in row for row in rows for w in words)]


def preference(acme: Caller) -> tuple[str, dict[str, str]]:
    for value in ("oolong", "assam"):
        acme("PUT", f"{ADA}/preferences/drinks/tea", {"value": f"{CANARY} {value}", "statement": f"{CANARY} {value}"})
    return f"{ADA}/preferences/drinks/tea/forget", {}


def retract_preference(acme: Caller) -> tuple[str, dict[str, str]]:
    address, body = preference(acme)
    assert acme("DELETE", f"{ADA}/preferences/drinks/tea").status_code == 204
    return address, body


def field(acme: Caller) -> tuple[str, dict[str, str]]:
    acme("PUT", ADA, {"profile": {"occupation": f"{CANARY} breeder"}})
    acme("PATCH", f"{ADA}/profile", {"occupation": "pilot"})
    return f"{ADA}/profile/forget", {"field": "occupation"}


def attribute(acme: Caller) -> tuple[str, dict[str, str]]:
    acme("PUT", ADA, {"profile": {"attributes": {"宠物": f"{CANARY} 小白"}}})
    return f"{ADA}/profile/forget", {"field": "attributes.宠物"}


def tag(acme: Caller) -> tuple[str, dict[str, str]]:
    made = body_of(acme("POST", f"{ADA}/tags", {"label": "家", "address": f"{CANARY} 路"}))
    return f"{ADA}/tags/{made['id']}/forget", {}


@pytest.mark.parametrize("hold", [preference, retract_preference, field, attribute, tag])
def test_every_value_that_it_had_is_gone_and_the_certificate_is_signed(
    acme: Caller, globex: Caller, world: World, hold: Hold
) -> None:
    address, body = hold(acme)
    acme("POST", f"{ADA}/context", {"query": f"{CANARY} tea 回家"})
    assert hits(world.acme)
    for path in (address, address.replace(ADA, GIL)):
        problem_of(globex("POST", path, body), 404)
    assert hits(world.acme)

    answer = acme("POST", address, body, Idempotency_Key="k1")

    certificate = body_of(answer)["certificate"]
    assert (certificate["scope"], certificate["verified"]) == ("memory", {"rows_left": {}})
    assert body_of(acme("GET", f"/v1/erasures/{certificate['id']}"))["genuine"]
    assert [table for table in hits(world.acme) if table != "receipt"] == []
    assert acme("POST", address, body, Idempotency_Key="k1").content == answer.content
    problem_of(acme("POST", address, body), 404)


def test_a_tag_that_staff_retired_is_forgotten_and_no_undo_brings_it_back(acme: Caller, world: World) -> None:
    address, body = tag(acme)
    with tenant_tx(world.acme.tenant.id):
        retire_memory(Tag.objects.select_related("subject").get(), ActContext(Actor(ActorKind.STAFF, "7"), "moved out"))
    assert hits(world.acme)
    problem_of(acme("POST", address.replace(ADA, GIL), body), 404)

    acme("POST", address, body)

    assert hits(world.acme) == []
    problem_of(acme("POST", address, body), 404)


def test_a_tag_that_was_deleted_is_forgotten_with_what_acts_of_staff_keep_of_it(acme: Caller, world: World) -> None:
    address, body = tag(acme)
    doing = ActContext(Actor(ActorKind.STAFF, "7"), "moved out")
    with tenant_tx(world.acme.tenant.id):
        correct_tag(Tag.objects.select_related("subject").get(), {"address": "衡山路10号"}, doing)
    assert acme("DELETE", address.removesuffix("/forget")).status_code == 204
    assert hits(world.acme) == ["memory_act"]
    problem_of(acme("POST", address.replace(ADA, GIL), body), 404)

    certificate = body_of(acme("POST", address, body))["certificate"]

    assert hits(world.acme) == []
    assert (certificate["erased"], certificate["verified"]) == ({"memory_act": 1}, {"rows_left": {}})
    problem_of(acme("POST", address, body), 404)


def test_a_context_asked_for_afterwards_knows_nothing_of_it(acme: Caller) -> None:
    address, body = preference(acme)
    acme("POST", address, body)
    recalled = acme("POST", f"{ADA}/recall", {"query": "tea"})
    context = acme("POST", f"{ADA}/context", {"query": "tea"})
    assert CANARY.encode() not in recalled.content + context.content
    problem_of(acme("GET", f"{ADA}/preferences/drinks/tea/history"), 404)


def test_a_forgotten_field_is_another_version_of_the_profile(acme: Caller) -> None:
    address, body = field(acme)
    before = acme("GET", f"{ADA}/profile")["ETag"]
    acme("POST", address, body)
    problem_of(acme("PATCH", f"{ADA}/profile", {"name": "Ada"}, If_Match=before), 412)


def test_faults_are_named(acme: Caller) -> None:
    acme("PUT", ADA, {})
    assert fields_of(problem_of(acme("POST", f"{ADA}/profile/forget", {}), 400)) == {"field"}
    assert problem_of(acme("POST", f"{ADA}/profile/forget", {"field": "no-such"}), 404)
    assert problem_of(acme("POST", f"{ADA}/preferences/drinks/tea/forget", {"why": 1}), 400)
