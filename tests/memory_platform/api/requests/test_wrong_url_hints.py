"""A newcomer's first mistakes get an answer that says what to do. Rows: D1."""

import pytest
from django.http import HttpResponse

from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

ADA = "/v1/subjects/ada"
SAY = f"{ADA}/conversations/c/messages"


def test_a_host_that_is_not_allowed_is_named_with_the_setting(acme: Caller) -> None:
    for path in ["/v1/tenant", "/health/live", "/v1/nothing"]:
        problem = problem_of(acme("GET", path, Host="memory.internal:8100"), 400)
        assert fields_of(problem) == {"Host"}
        assert "'memory.internal' is not in ALLOWED_HOSTS" in problem["detail"]


@pytest.mark.parametrize("path", ["/subjects/ada/recall", "/api/v1/subjects/ada/recall", "/api/subjects/ada/recall/"])
def test_a_missing_v1_is_suggested(acme: Caller, path: str) -> None:
    for accept in ["*/*", "application/json"]:
        problem = problem_of(acme("POST", path, {"query": "home"}, Accept=accept), 404)
        assert "did you mean /v1/subjects/ada/recall" in problem["detail"]


@pytest.mark.parametrize("path", ["/v1/memories/", "/v1/subjects/ada/messages", "/memories", "/v2/memories/search/"])
def test_an_unknown_path_points_to_the_documentation(acme: Caller, path: str) -> None:
    problem = problem_of(acme("POST", path, {"messages": []}), 404)
    assert "/v1/docs" in problem["detail"]
    assert "did you mean" not in problem["detail"]


def test_a_person_still_gets_a_page_outside_of_the_api(nobody: Caller) -> None:
    page = nobody("GET", "/nothing", Accept="text/html,application/xhtml+xml")
    assert page.status_code == 404
    assert page["Content-Type"].startswith("text/html")


def test_a_post_of_something_that_is_put_names_the_put_path(acme: Caller) -> None:
    body = {"category": "travel", "key": "seat", "value": "aisle"}
    problem = problem_of(acme("POST", f"{ADA}/preferences", body), 405)
    assert f"PUT {ADA}/preferences/{{category}}/{{key}}" in problem["detail"]
    assert "PUT" not in problem_of(acme("POST", f"{ADA}/pending", {}), 405)["detail"]


def test_the_role_developer_is_stored_as_system(acme: Caller) -> None:
    assert say(acme, {"role": "developer", "content": "Answer in short sentences."}).status_code == 202
    assert body_of(acme("GET", SAY))["data"][0]["role"] == "system"


@pytest.mark.parametrize(
    "image",
    [
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ],
)
def test_images_are_left_out_and_the_text_stays(acme: Caller, image: dict[str, object]) -> None:
    parts = [image, {"type": "text", "text": "Is this my car?"}]
    accepted = body_of(say(acme, {"role": "user", "content": parts}, {"role": "user", "content": "hello"}))["accepted"]
    assert [(one["verdict"], one.get("reason")) for one in accepted] == [
        ("stored", "images_left_out"),
        ("stored", None),
    ]
    stored = body_of(acme("GET", SAY))["data"]
    assert [one["content"] for one in stored] == ["Is this my car?", "hello"]


def test_a_message_of_nothing_but_images_says_that_they_are_not_stored(acme: Caller) -> None:
    problem = problem_of(
        say(acme, {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}), 400
    )
    assert fields_of(problem) == {"messages.0.content"}
    assert "Images are not stored" in problem["detail"]


def test_a_time_far_in_the_future_is_refused(acme: Caller) -> None:
    problem = problem_of(say(acme, {"role": "user", "content": "hi", "said_at": "2130-01-01T00:00:00Z"}), 400)
    assert fields_of(problem) == {"messages.0.said_at"}
    assert "at most one day in the future" in problem["detail"]


def say(caller: Caller, *messages: dict[str, object]) -> HttpResponse:
    return caller("POST", SAY, {"messages": list(messages)})
