"""Layers of the console that requests of the API pass by. Rows: D1, D2."""

import pytest
from django.test import Client

from tests.conftest import World


@pytest.mark.parametrize("path", ["/v1/tenant", "/health/live"])
def test_an_answer_of_the_api_knows_no_session_and_no_frame(world: World, path: str) -> None:
    answer = Client(headers=world.acme.headers | {"Accept-Language": "zh-hans"}).get(path)
    assert not answer.cookies
    assert "X-Frame-Options" not in answer
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Length"] == str(len(answer.content))


def test_a_page_of_the_console_has_all_of_them(world: World) -> None:
    answer = Client(headers={"Accept-Language": "zh-hans"}).get("/console/login/")
    assert answer["Content-Language"] == "zh-hans"
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert "csrftoken" in answer.cookies
    assert "default-src" in answer["Content-Security-Policy"]


def test_a_form_of_the_console_without_its_token_is_refused(world: World) -> None:
    assert Client(enforce_csrf_checks=True).post("/console/login/", {"username": "sam"}).status_code == 403
