"""Tags over HTTP. Rows: P6, P8, D1, T1. Matrix: 3, 21, 23, 46."""

from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

TAGS = "/v1/subjects/ada/tags"
LIST_STATEMENTS = 6  # key, BEGIN, scope, subject, page, COMMIT


def post(caller: Caller, label: str, status: int = 201, path: str = TAGS, **fields: Any) -> dict[str, Any]:
    response = caller("POST", path, {"label": label, **fields})
    assert response.status_code == status, response.content
    return body_of(response)


def lookup(caller: Caller, query: str, path: str = TAGS) -> list[tuple[str, str]]:
    response = caller("GET", f"{path}/lookup?q={quote(query, safe='')}")
    assert response.status_code == 200, response.content
    return [(one["tag"]["label"], one["match"]) for one in body_of(response)["data"]]


def one(tag: dict[str, Any]) -> str:
    return f"{TAGS}/{tag['id']}"


def test_a_posted_tag_comes_back_as_it_was_given(acme: Caller) -> None:
    given: dict[str, Any] = {
        "kind": "place",
        "address": "上海市浦东新区世纪大道 1 号",
        "poi_id": "B0FFG",
        "lat": 31.2397,
        "lon": 121.4998,
        "phone": "021-5888",
        "relation": "自己",
        "aliases": ["窝", "home base"],
    }
    made = post(acme, "家", **given)
    assert {name: made[name] for name in given} == given
    assert (made["verdict"], made["use_count"], made["last_used"]) == ("stored", 0, None)
    assert (made["provenance"], made["confidence"]) == ("confirmed_by_user", 1.0)
    shown = acme("GET", one(made))
    assert body_of(shown) == {"notes": []} | {name: made[name] for name in made if name not in {"verdict", "reason"}}
    assert shown["ETag"]
    assert [tag["label"] for tag in body_of(acme("GET", TAGS))["data"]] == ["家"]


def test_a_bare_label_is_enough_and_the_subject_is_made(acme: Caller) -> None:
    made = post(acme, "Mum", path="/v1/subjects/new/tags", phone="+44 20 7946 0000")
    assert (made["kind"], made["address"], made["aliases"]) == ("contact", None, [])


def test_a_known_label_is_updated_with_a_verdict(acme: Caller) -> None:
    first = post(acme, "Home", address="1 Abbey Road")
    merged = post(acme, "home", status=200, phone="110", address=None)
    assert (merged["id"], merged["verdict"], merged["address"]) == (first["id"], "merged", "1 Abbey Road")
    assert post(acme, "HOME", status=200, address="2 Baker Street")["verdict"] == "superseded"
    assert post(acme, "Home", status=200, address="2 Baker Street")["verdict"] == "unchanged"


def test_tags_are_found_by_what_people_say_in_both_languages(acme: Caller) -> None:
    for label in ("家", "公司", "Mum"):
        post(acme, label)
    assert lookup(acme, "导航回家") == [("家", "exact")]
    assert lookup(acme, "navigate home") == [("家", "alias")]
    assert lookup(acme, "回我妈妈那") == [("Mum", "alias")]
    assert lookup(acme, "drive to work") == [("公司", "alias")]
    for nothing in ("大家好", "国家", "homework", "???", "🙂"):
        assert lookup(acme, nothing) == []
    best = body_of(acme("GET", f"{TAGS}/lookup?q={quote('家', safe='')}&limit=1"))["data"][0]
    assert best["score"] == 1.0 and best["tag"]["id"]


def test_using_a_tag_counts_it_once_under_one_idempotency_key(acme: Caller) -> None:
    tag = post(acme, "家")
    first = acme("POST", f"{one(tag)}/use", {}, Idempotency_Key="k1")
    again = acme("POST", f"{one(tag)}/use", {}, Idempotency_Key="k1")
    assert (again["Idempotent-Replayed"], again.content) == ("true", first.content)
    assert acme("POST", f"{one(tag)}/use").status_code == 200
    used = body_of(acme("GET", one(tag)))
    assert used["use_count"] == 2 and used["last_used"] is not None


def test_posting_twice_under_one_key_answers_the_same(acme: Caller) -> None:
    first = acme("POST", TAGS, {"label": "家"}, Idempotency_Key="k1")
    again = acme("POST", TAGS, {"label": "家"}, Idempotency_Key="k1")
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    problem_of(acme("POST", TAGS, {"label": "Work"}, Idempotency_Key="k1"), 409)


def test_a_tag_is_patched_cleared_and_deleted(acme: Caller) -> None:
    tag = post(acme, "家", address="浦东", lat=31.0, lon=121.0, aliases=["窝"])
    change = {"label": "老家", "aliases": ["乡下"], "phone": "110", "kind": None, "remove": ["lat", "lon", "address"]}
    patched = body_of(acme("PATCH", one(tag), change))
    assert (patched["label"], patched["aliases"], patched["phone"], patched["kind"]) == (
        "老家",
        ["乡下"],
        "110",
        "place",
    )
    assert (patched["address"], patched["lat"], patched["lon"]) == (None, None, None)
    assert acme("DELETE", one(tag)).status_code == 204
    problem_of(acme("GET", one(tag)), 404)
    problem_of(acme("DELETE", one(tag)), 404)


def test_a_label_of_another_tag_is_409(acme: Caller) -> None:
    post(acme, "Home")
    problem = problem_of(acme("PATCH", one(post(acme, "Work")), {"label": "HOME"}), 409)
    assert (problem["code"], fields_of(problem)) == ("label_taken", {"label"})


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"label": ""}, "label"),
        ({"label": "  \u200b "}, "label"),
        ({"label": "x" * 201}, "label"),
        ({"label": "x\u0000"}, "label"),
        ({"label": 5}, "label"),
        ({"kind": "person"}, "kind"),
        ({"lat": 91, "lon": 0}, "lat"),
        ({"lat": 1}, "lon"),
        ({"lon": 1}, "lat"),
        ({"lat": "31.2", "lon": 1}, "lat"),
        ({"address": "x" * 70_000}, "address"),
        ({"aliases": "home"}, "aliases"),
        ({"aliases": [""]}, "aliases.0"),
        ({"aliases": ["x"] * 51}, "aliases"),
        ({"phone": "1" * 65}, "phone"),
        ({"use_count": 5}, "use_count"),
    ],
)
def test_bad_input_is_400_names_the_field_and_writes_nothing(acme: Caller, fields: Any, field: str) -> None:
    assert fields_of(problem_of(acme("POST", TAGS, {"label": "家"} | fields), 400)) == {field}
    assert body_of(acme("GET", TAGS))["data"] == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"remove": ["label"]}, "remove.0"),
        ({"remove": ["lat"]}, "remove"),
        ({"remove": ["address"], "address": "x"}, "remove.0"),
        ({"lat": 1}, "lon"),
        ({"verdict": "stored"}, "verdict"),
    ],
)
def test_a_bad_change_is_400_also_of_an_unknown_tag(acme: Caller, fields: Any, field: str) -> None:
    for path in (one(post(acme, "家")), f"{TAGS}/{uuid4()}"):
        assert fields_of(problem_of(acme("PATCH", path, fields), 400)) == {field}


@pytest.mark.parametrize("query", ["", "q=", f"q={'x' * 1025}", "q=a&limit=0", "q=a&q=b", "q=a&x=1", "q=%00", "q=%ff"])
def test_a_bad_lookup_is_400(acme: Caller, query: str) -> None:
    problem_of(acme("GET", f"{TAGS}/lookup?{query}"), 400)


def test_a_version_is_insisted_on(acme: Caller) -> None:
    tag = post(acme, "家")
    first = acme("GET", one(tag))["ETag"]
    second = acme("PATCH", one(tag), {"phone": "1"}, If_Match=first)["ETag"]
    assert first != second == acme("GET", one(tag))["ETag"]
    problem_of(acme("PATCH", one(tag), {"phone": "2"}, If_Match=first), 412)
    problem_of(acme("DELETE", one(tag), If_Match=first), 412)
    assert acme("DELETE", one(tag), If_Match=second).status_code == 204


def test_tags_are_listed_in_pages_in_few_statements(acme: Caller) -> None:
    for number in range(5):
        post(acme, f"place {number}")
    with CaptureQueriesContext(connection) as statements:
        page = body_of(acme("GET", f"{TAGS}?limit=3"))
    assert len(statements) <= LIST_STATEMENTS
    rest = body_of(acme("GET", f"{TAGS}?limit=3&cursor={page['next_cursor']}"))
    assert [tag["label"] for tag in [*page["data"], *rest["data"]]] == [f"place {number}" for number in range(5)]


@pytest.mark.parametrize(("method", "tail"), [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/use")])
def test_another_tenant_with_ada_s_tag_gets_what_it_gets_for_nobody(
    acme: Caller, globex: Caller, method: str, tail: str
) -> None:
    tag = post(acme, "家")
    before = acme("GET", one(tag)).content
    body = {"phone": "1"} if method == "PATCH" else None
    for owner in ("ada", "gil"):
        foreign = problem_of(globex(method, f"/v1/subjects/{owner}/tags/{tag['id']}{tail}", body), 404)
        unknown = problem_of(globex(method, f"/v1/subjects/{owner}/tags/{uuid4()}{tail}", body), 404)
        assert foreign | {"request_id": ""} == unknown | {"request_id": ""}
    assert acme("GET", one(tag)).content == before


@pytest.mark.parametrize("tail", ["", "/lookup?q=home"])
def test_another_tenant_neither_lists_nor_finds_ada_s_tags(acme: Caller, globex: Caller, tail: str) -> None:
    post(acme, "家")
    foreign = problem_of(globex("GET", f"{TAGS}{tail}"), 404)
    unknown = problem_of(globex("GET", f"/v1/subjects/ida/tags{tail}"), 404)
    assert foreign | {"request_id": ""} == unknown | {"request_id": ""}


def test_another_tenant_posts_to_a_subject_of_its_own(acme: Caller, globex: Caller) -> None:
    mine = post(acme, "家", address="浦东")
    theirs = post(globex, "家", address="elsewhere")
    assert theirs["id"] != mine["id"]
    assert body_of(acme("GET", one(mine)))["address"] == "浦东"
