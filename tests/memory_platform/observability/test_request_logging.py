"""Every failed request leaves a line that tells where, and nothing of what was said. Rows: D5."""

import logging
from pathlib import Path

import pytest
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from tests.log_lines import log_lines


def failing(request: HttpRequest) -> HttpResponse:
    raise LookupError("kestrel4711")


def missing(request: HttpRequest) -> HttpResponse:
    raise Http404("kestrel4711")


urlpatterns = [path("failing", failing), path("missing", missing)]
pytestmark = pytest.mark.urls(__name__)


def test_a_page_that_fails_says_where_without_its_content(caplog: pytest.LogCaptureFixture) -> None:
    answer = Client(raise_request_exception=False).get("/failing")
    lines = log_lines(caplog)
    assert answer.status_code == 500
    failed = next(line for line in lines if line["event"] == "request.failed")
    assert failed["error"] == "LookupError"
    assert any(Path(__file__).name in frame for frame in failed["frames"])
    assert "kestrel" not in str(lines)


def test_a_page_that_is_missing_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert Client().get("/missing").status_code == 404
    events = {line["event"] for line in log_lines(caplog)}
    assert "request.served" in events
    assert "request.failed" not in events
