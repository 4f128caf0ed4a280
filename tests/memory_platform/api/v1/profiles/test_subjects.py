"""Subjects over HTTP. Rows: P1, P2, D1, T1. Matrix: 3, 23, 46."""

from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from profiles.models import ProfileFact, Subject
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

ADA = "/v1/subjects/ada"
LIST_STATEMENTS = 6  # key, BEGIN, scope, page, facts, COMMIT


def put(caller: Caller, subject_id: str, body: Any = None, status: int = 200) -> dict[str, Any]:
    response = caller("PUT", f"/v1/subjects/{quote(subject_id, safe='')}", body or {})
    assert response.status_code == status, response.content
    return body_of(response)


@pytest.mark.parametrize("subject_id", ["user_123", "王小明", "a b?&#%+", "المستخدم", "🙂", "é" * 200])
def test_a_subject_is_made_under_any_id_and_found_again(acme: Caller, subject_id: str) -> None:
    made = put(acme, subject_id, {"profile": {"name": "小明"}, "metadata": {"plan": "pro"}}, status=201)
    assert made["subject_id"] == subject_id and made["profile"]["name"] == "小明"
    assert put(acme, subject_id) == made
    response = acme("GET", f"/v1/subjects/{quote(subject_id, safe='')}")
    assert response.status_code == 200 and body_of(response) == made


def test_the_profile_merges_metadata_is_replaced_and_what_is_not_given_stays(acme: Caller) -> None:
    put(acme, "ada", {"profile": {"name": "Ada", "attributes": {"budget": 300}}, "metadata": {"a": 1, "b": 2}})
    after = put(acme, "ada", {"profile": {"name": None, "occupation": "程序员", "attributes": {"pets": ["猫"]}}})
    assert after["metadata"] == {"a": 1, "b": 2}
    assert (after["profile"]["name"], after["profile"]["occupation"]) == ("Ada", "程序员")
    assert after["profile"]["attributes"] == {"budget": 300, "pets": ["猫"]}
    assert put(acme, "ada", {"metadata": {"c": 3}, "profile": None})["metadata"] == {"c": 3}
    assert put(acme, "ada", {"metadata": {}})["metadata"] == {}
    assert put(acme, "ada", {"profile": {"remove": ["attributes.budget", "name"]}})["profile"]["name"] is None


def test_an_unknown_subject_is_404_and_erasing_belongs_to_another_address(acme: Caller) -> None:
    assert problem_of(acme("GET", "/v1/subjects/nobody"), 404)["code"] == "not_found"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"profile": []}, "profile"),
        ({"profile": {"nmae": "x"}}, "profile.nmae"),
        ({"profile": {"name": 5}}, "profile.name"),
        ({"profile": {"name": "x" * 70_000}}, "profile.name"),
        ({"profile": {"interests": ["ok", None]}}, "profile.interests.1"),
        ({"profile": {"attributes": {"x" * 201: 1}}}, None),
        ({"profile": {"attributes": {"": 1}}}, None),
        ({"profile": {"attributes": {str(n): n for n in range(101)}}}, "profile.attributes"),
        ({"profile": {"name": "x", "remove": ["name"]}}, "profile.remove.0"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": "x" * 70_000}}, "metadata"),
        ({"subject_id": "other"}, "subject_id"),
    ],
)
def test_bad_input_is_400_names_the_field_and_writes_nothing(acme: Caller, body: Any, field: str | None) -> None:
    named = fields_of(problem_of(acme("PUT", "/v1/subjects/new", body), 400))
    assert field is None or named == {field}
    problem_of(acme("GET", "/v1/subjects/new"), 404)


def test_a_version_is_insisted_on(acme: Caller) -> None:
    first = acme("GET", ADA)["ETag"]
    second = acme("PUT", ADA, {"metadata": {"plan": "pro"}}, If_Match=first)
    assert second.status_code == 200 and second["ETag"] != first
    problem_of(acme("PUT", ADA, {"metadata": {}}, If_Match=first), 412)
    acme("PATCH", f"{ADA}/profile", {"name": "Ada"})
    problem_of(acme("PUT", ADA, {"metadata": {}}, If_Match=second["ETag"]), 412)
    problem_of(acme("PUT", "/v1/subjects/new", {}, If_Match=first), 412)
    problem_of(acme("GET", "/v1/subjects/new"), 404)


def test_subjects_are_listed_in_pages_with_their_profiles_in_few_statements(acme: Caller) -> None:
    for number in range(5):
        put(acme, f"s{number}", {"profile": {"name": f"第{number}位"}}, status=201)
    with CaptureQueriesContext(connection) as statements:
        page = body_of(acme("GET", "/v1/subjects?limit=4"))
    assert len(statements) <= LIST_STATEMENTS
    assert [one["subject_id"] for one in page["data"]] == ["ada", "s0", "s1", "s2"]
    rest = body_of(acme("GET", f"/v1/subjects?limit=4&cursor={page['next_cursor']}"))
    assert [one["profile"]["name"] for one in rest["data"]] == ["第3位", "第4位"] and rest["next_cursor"] is None


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "cursor=x", "unknown=1"])
def test_a_bad_page_is_400(acme: Caller, query: str) -> None:
    problem_of(acme("GET", f"/v1/subjects?{query}"), 400)


def test_another_tenant_neither_sees_nor_changes_ada(acme: Caller, globex: Caller, world: World) -> None:
    put(acme, "ada", {"profile": {"name": "Ada"}, "metadata": {"plan": "pro"}})
    before = body_of(acme("GET", ADA))
    foreign, unknown = (body_of(globex("GET", f"/v1/subjects/{one}")) for one in ("ada", "ida"))
    assert foreign | {"request_id": ""} == unknown | {"request_id": ""}
    assert [one["subject_id"] for one in body_of(globex("GET", "/v1/subjects"))["data"]] == ["gil"]
    tag = acme("GET", ADA)["ETag"]
    problem_of(globex("PUT", ADA, {"metadata": {}}, If_Match=tag), 412)
    assert globex("PUT", ADA, {"metadata": {"theirs": True}}).status_code == 201
    assert body_of(acme("GET", ADA)) == before
    with tenant_tx(world.acme.tenant.id):
        assert (Subject.objects.count(), ProfileFact.objects.count()) == (1, 1)
