"""Card and identity numbers and secrets never enter a profile, preference or tag. Rows: E2, P2, P3, P6."""

from typing import Any

import pytest

from profiles.models import Preference, ProfileFact, Tag
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

ADA = "/v1/subjects/ada"
PREFERENCE = f"{ADA}/preferences/travel/seat"
CARD = "4111 1111 1111 1111"
IDENTITY = "11010519491231002X"
TOKEN = "sk-live-abcdefghijklmnop1234"

REFUSED: list[tuple[str, str, Any, set[str]]] = [
    ("PUT", PREFERENCE, {"value": CARD}, {"value"}),
    ("PUT", PREFERENCE, {"value": 4111111111111111}, {"value"}),
    ("PUT", PREFERENCE, {"value": 4111111111111111.0}, {"value"}),
    ("PUT", PREFERENCE, {"value": [4111, 1111, 1111, 1111]}, {"value"}),
    ("PUT", PREFERENCE, {"value": {"parts": ["4111", "1111", "1111", "1111"]}}, {"value.parts"}),
    ("PUT", PREFERENCE, {"value": {"cards": ["aisle", CARD]}}, {"value.cards.1"}),
    ("PUT", PREFERENCE, {"value": {CARD: True}}, {"value"}),
    ("PUT", PREFERENCE, {"value": "aisle", "statement": f"我的身份证号是{IDENTITY}"}, {"statement"}),
    ("PUT", f"{ADA}/preferences/home/wifi_password", {"value": "x7k2horse"}, {"value"}),
    ("PUT", f"{ADA}/preferences/cards/4111111111111111", {"value": "blue"}, {"key"}),
    ("PATCH", f"{ADA}/profile", {"name": CARD, "occupation": IDENTITY}, {"name", "occupation"}),
    ("PATCH", f"{ADA}/profile", {"interests": ["tea", TOKEN]}, {"interests.1"}),
    ("PATCH", f"{ADA}/profile", {"attributes": {"passport_number": "E1234567"}}, {"attributes.passport_number"}),
    ("PUT", ADA, {"profile": {"attributes": {"note": f"密码是 hunter2a {TOKEN}"}}}, {"profile.attributes.note"}),
    ("POST", f"{ADA}/tags", {"label": CARD}, {"label"}),
    ("POST", f"{ADA}/tags", {"label": "家", "address": IDENTITY, "aliases": ["窝", TOKEN]}, {"address", "aliases.1"}),
    ("POST", f"{ADA}/tags", {"label": "妈妈", "phone": CARD}, {"phone"}),
]


@pytest.mark.parametrize(("method", "path", "body", "fields"), REFUSED)
def test_a_product_s_write_of_it_is_refused_and_named(
    acme: Caller, world: World, method: str, path: str, body: Any, fields: set[str]
) -> None:
    response = acme(method, path, body)
    problem = problem_of(response, 422)
    assert (problem["code"], fields_of(problem)) == ("sensitive", fields)
    for secret in (CARD, "4111111111111111", IDENTITY, TOKEN, "hunter2a"):
        assert secret.encode() not in response.content
    with tenant_tx(world.acme.tenant.id):
        held = [model.objects.filter(subject_id=world.acme.subject.id) for model in (Preference, ProfileFact, Tag)]
        assert not any(rows.exists() for rows in held)


def test_a_tag_is_not_changed_into_it(acme: Caller) -> None:
    made = body_of(acme("POST", f"{ADA}/tags", {"label": "家"}))
    problem = problem_of(acme("PATCH", f"{ADA}/tags/{made['id']}", {"address": CARD}), 422)
    assert (problem["code"], fields_of(problem)) == ("sensitive", {"address"})


def test_telephone_numbers_and_ordinary_values_are_kept(acme: Caller) -> None:
    for number, phone in enumerate(["+49 1512 3456789", "+86 138 0013 8000", "021-5888", "4222222222222", ""]):
        body = {"label": f"Mum {number}", "phone": phone} if phone else {"label": "Mum"}
        assert acme("POST", f"{ADA}/tags", body).status_code == 201, phone
    for value in [
        "aisle",
        42,
        3.14159265358979,
        True,
        None,
        ["window", {"row": 12}],
        [1984, 2001, 2024, 2026],
        1_700_000_000_000,
    ]:
        response = acme("PUT", PREFERENCE, {"value": value})
        assert response.status_code == (400 if value is None else 200), value
    profile = {"name": "Ada 小明", "age_range": "30-39", "attributes": {"height_cm": 172, "keyboard": "qwerty"}}
    assert acme("PATCH", f"{ADA}/profile", profile).status_code == 200


def test_topics_and_category_of_a_memory_hold_none_of_it(acme: Caller) -> None:
    said = {"text": "Ada sails", "topics": ["boats", CARD], "category": IDENTITY}
    made = body_of(acme("POST", f"{ADA}/snapshots", said))
    assert (made["topics"], made["category"]) == (["boats"], None)
    edited = body_of(acme("PATCH", f"{ADA}/snapshots/{made['id']}", {"topics": [CARD, "harbours"], "category": CARD}))
    assert (edited["topics"], edited["category"]) == (["harbours"], None)
