"""The profile over HTTP. Rows: P2, P4, P8, D1, T1. Matrix: 3, 23, 46."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.understanding.making import settle

PROFILE = "/v1/subjects/ada/profile"
NOTHING: dict[str, Any] = {
    "name": None,
    "occupation": None,
    "interests": None,
    "mbti": None,
    "age_range": None,
    "locale": None,
    "timezone": None,
    "attributes": {},
    "standing": {},
}
LIST_STATEMENTS = 6  # key, BEGIN, scope, subject, page, COMMIT


def patch(caller: Caller, body: Any) -> dict[str, Any]:
    response = caller("PATCH", PROFILE, body)
    assert response.status_code == 200, response.content
    return body_of(response)


def verdicts(patched: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {one["field"]: (one["verdict"], one["reason"]) for one in patched["verdicts"]}


def test_a_new_profile_knows_nothing(acme: Caller) -> None:
    assert body_of(acme("GET", PROFILE)) == NOTHING


@pytest.mark.parametrize(
    "profile",
    [
        {
            "name": "Ada",
            "occupation": "engineer",
            "interests": ["hiking", "chess"],
            "mbti": "INTJ",
            "age_range": "30-39",
            "locale": "en-GB",
            "timezone": "Europe/London",
            "attributes": {"budget_limit": 300, "decision_makers": ["Ada", "Bo"], "preferred_shipping": {"by": "air"}},
        },
        {
            "name": "王小明",
            "occupation": "程序员",
            "interests": ["徒步"],
            "attributes": {"预算": "三百块", "会员": True},
        },
    ],
)
def test_what_is_patched_is_known_and_each_field_has_a_verdict(acme: Caller, profile: dict[str, Any]) -> None:
    patched = patch(acme, profile)
    assert set(verdicts(patched).values()) == {("stored", None)}
    known = body_of(acme("GET", PROFILE))
    assert {**known, "standing": {}} == NOTHING | profile
    assert patched == known | {"verdicts": patched["verdicts"]}
    assert set(known["standing"]) == {*profile, *profile["attributes"]} - {"attributes"}
    assert {one["note_id"] for one in known["standing"].values()} == {None}
    assert set(verdicts(patch(acme, profile)).values()) == {("unchanged", None)}


@pytest.mark.parametrize("locale", ["en", "en-GB", "zh-Hans", "zh_CN", "zh-Hant-TW", "yue"])
def test_a_language_tag_is_a_locale(acme: Caller, locale: str) -> None:
    assert patch(acme, {"locale": locale})["locale"] == locale


@pytest.mark.parametrize("locale", ["english", "中文", "en GB", "en-", "en\n", "e", "zh-CN.UTF-8"])
def test_what_names_no_language_is_no_locale(acme: Caller, locale: str) -> None:
    problem = problem_of(acme("PATCH", PROFILE, {"locale": locale, "name": "Ada"}), 400)
    assert fields_of(problem) == {"locale"}
    assert body_of(acme("GET", PROFILE)) == NOTHING


def test_null_keeps_and_remove_takes_away(acme: Caller) -> None:
    patch(acme, {"name": "Ada", "occupation": "engineer", "attributes": {"city": "上海", "pets": 2}})
    after = patch(
        acme, {"name": None, "attributes": {"pets": None}, "remove": ["occupation", "attributes.city", "pet"]}
    )
    assert (after["name"], after["occupation"], after["attributes"]) == ("Ada", None, {"pets": 2})
    assert verdicts(after) == {
        "occupation": ("superseded", "removed"),
        "attributes.city": ("superseded", "removed"),
        "attributes.pet": ("unchanged", "absent"),
    }


def test_modes_append_and_merge(acme: Caller) -> None:
    patch(acme, {"interests": ["hiking"], "attributes": {"car": {"make": "NIO"}}, "name": "Ada"})
    change = {"interests": ["Hiking", "围棋"], "attributes": {"car": {"seats": 5}}, "name": "Bo"}
    after = patch(acme, {**change, "modes": {"interests": "append", "attributes.car": "merge", "name": "append"}})
    assert after["interests"] == ["hiking", "围棋"] and after["attributes"] == {"car": {"make": "NIO", "seats": 5}}
    assert verdicts(after) == {
        "interests": ("merged", None),
        "attributes.car": ("merged", None),
        "name": ("rejected", "not_a_list"),
    }
    assert after["name"] == "Ada"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"nmae": "x"}, "nmae"),
        ({"name": ""}, "name"),
        ({"name": ["x"]}, "name"),
        ({"name": "x\u0000"}, "name"),
        ({"mbti": "x" * 17}, "mbti"),
        ({"interests": "chess"}, "interests"),
        ({"interests": [5]}, "interests.0"),
        ({"interests": ["x"] * 201}, "interests"),
        ({"attributes": "x"}, "attributes"),
        ({"attributes": {"a": {"b": "\u0000"}}}, "attributes.a.b"),
        ({"attributes": {"a": "x" * 70_000}}, "attributes"),
        ({"remove": "name"}, "remove"),
        ({"remove": [1]}, "remove.0"),
        ({"remove": ["name"], "name": "x"}, "remove.0"),
        ({"remove": ["attributes.a"], "attributes": {"a": 1}}, "remove.0"),
        ({"modes": {"name": "append"}}, "modes.name"),
        ({"modes": {"name": "delete"}, "name": "x"}, "modes.name"),
        ({"modes": {"name": 5}, "name": "x"}, "modes.name"),
    ],
)
def test_bad_input_is_400_names_the_field_and_changes_nothing(acme: Caller, body: Any, field: str) -> None:
    assert fields_of(problem_of(acme("PATCH", PROFILE, {"occupation": "engineer"} | body), 400)) == {field}
    assert body_of(acme("GET", PROFILE)) == NOTHING


def test_a_version_is_insisted_on(acme: Caller) -> None:
    first = acme("GET", PROFILE)["ETag"]
    second = acme("PATCH", PROFILE, {"name": "Ada"}, If_Match=first)["ETag"]
    assert first != second == acme("GET", PROFILE)["ETag"]
    problem_of(acme("PATCH", PROFILE, {"name": "Bo"}, If_Match=first), 412)
    assert acme("PATCH", PROFILE, {"name": "Ada"}, If_Match=second)["ETag"] == second


def test_history_holds_every_value_in_order(acme: Caller) -> None:
    for name in ("Ada", "Ada L.", "阿达"):
        patch(acme, {"name": name})
    patch(acme, {"remove": ["name"]})
    with CaptureQueriesContext(connection) as statements:
        page = body_of(acme("GET", f"{PROFILE}/history?limit=2"))
    assert len(statements) <= LIST_STATEMENTS
    rest = body_of(acme("GET", f"{PROFILE}/history?limit=2&cursor={page['next_cursor']}"))
    rows = [*page["data"], *rest["data"]]
    assert [row["value"] for row in rows] == ["Ada", "Ada L.", "阿达"] and rest["next_cursor"] is None
    assert [row["superseded_by"] for row in rows] == [rows[1]["id"], rows[2]["id"], None]
    assert [row["invalid_at"] for row in rows][:2] == [rows[1]["valid_at"], rows[2]["valid_at"]]
    assert rows[2]["invalid_at"] is not None


def test_parallel_changes_of_different_fields_all_stand(acme: Caller) -> None:
    def change(number: int) -> int:
        try:
            return acme("PATCH", PROFILE, {"attributes": {f"a{number}": number}, "name": f"n{number}"}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(change, range(16))) == {200}
    assert body_of(acme("GET", PROFILE))["attributes"] == {f"a{number}": number for number in range(16)}


def complete(caller: Caller) -> dict[str, Any]:
    return body_of(caller("GET", f"{PROFILE}/completeness"))


def test_a_new_profile_misses_everything_and_the_first_question_is_the_name(acme: Caller) -> None:
    answer = complete(acme)
    assert (answer["initialised"], answer["next_question"]) == (False, "What should I call you?")
    assert [one["priority"] for one in answer["missing"]] == [*["high"] * 4, "medium", *["low"] * 3]


@pytest.mark.parametrize(
    ("name", "home", "work", "question"),
    [("Ada", "Home", "Office", "What do you do for a living?"), ("王小明", "家", "公司", "您是做什么工作的?")],
)
def test_a_profile_is_initialised_when_nothing_of_high_priority_is_missing(
    acme: Caller, name: str, home: str, work: str, question: str
) -> None:
    patch(acme, {"name": name})
    for label, fields in ((home, {}), (work, {}), ("Bo", {"phone": "110"})):
        assert not complete(acme)["initialised"]
        acme("POST", "/v1/subjects/ada/tags", {"label": label, **fields})
    answer = complete(acme)
    assert (answer["initialised"], answer["next_question"]) == (True, question)
    patch(acme, {"occupation": "x", "interests": ["x"]})
    acme("PUT", "/v1/subjects/ada/preferences/food/likes", {"value": ["x"]})
    acme("PUT", "/v1/subjects/ada/preferences/music/likes", {"value": ["x"]})
    assert complete(acme) == {"initialised": True, "missing": [], "next_question": None}


@pytest.mark.parametrize(
    ("method", "path"), [("GET", ""), ("PATCH", ""), ("GET", "/history"), ("GET", "/completeness")]
)
def test_another_tenant_gets_what_it_gets_for_nobody_and_ada_stays(
    acme: Caller, globex: Caller, method: str, path: str
) -> None:
    patch(acme, {"name": "Ada"})
    body = {"name": "Gil"} if method == "PATCH" else None
    foreign = problem_of(globex(method, f"{PROFILE}{path}", body), 404)
    unknown = problem_of(globex(method, f"/v1/subjects/ida/profile{path}", body), 404)
    assert foreign | {"request_id": ""} == unknown | {"request_id": ""}
    assert body_of(acme("GET", PROFILE))["name"] == "Ada"


@pytest.mark.parametrize(("text", "field"), [("I work as a midwife", "occupation"), ("我在医院当护士", "occupation")])
def test_a_field_names_the_note_whose_words_it_was_read_from(acme: Caller, world: World, text: str, field: str) -> None:
    said = {"messages": [{"role": "user", "content": text}]}
    assert acme("POST", "/v1/subjects/ada/conversations/c1/messages", said).status_code == 202
    settle(world.acme)
    standing = body_of(acme("GET", PROFILE))["standing"]
    notes = {one["id"]: one["text"] for one in body_of(acme("GET", "/v1/subjects/ada/notes"))["data"]}
    assert notes[standing[field]["note_id"]] == text
