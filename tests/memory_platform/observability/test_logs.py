"""Log lines carry ids and numbers, never content. Rows: D5."""

import json
import logging
import logging.config
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from uuid import UUID

import pytest
from django.conf import settings

from memory_platform.observability.logs import VALUE_CHARS, Event, keep_ids_only, log, logging_config

ADA = UUID(int=7)


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What is written while a test runs, as JSON lines."""
    out = StringIO()
    config = logging_config(level="INFO")
    config["handlers"]["stderr"]["stream"] = out
    logging.config.dictConfig(config)
    yield out
    logging.config.dictConfig(settings.LOGGING)


def test_an_event_is_one_json_line_with_ids(lines: StringIO) -> None:
    log(Event.SNAPSHOT_WRITTEN, tenant=ADA, messages=3, ms=1.5, reasons=["a", Event.WORK_DONE])
    line = json.loads(lines.getvalue())
    assert line["event"] == "snapshot.written"
    assert (line["tenant"], line["messages"], line["ms"]) == (str(ADA), 3, 1.5)
    assert line["reasons"] == ["a", "work.done"]
    assert line["level"] == "info"
    assert line["timestamp"].endswith("Z")


def test_failures_are_louder(lines: StringIO) -> None:
    log(Event.REQUEST_FAILED, error="ZeroDivisionError")
    assert json.loads(lines.getvalue())["level"] == "error"


def test_anything_that_is_no_id_is_named_by_its_type_or_cut() -> None:
    line = keep_ids_only(
        None, "info", {"body": {"name": "Ada"}, "text": "x" * 5_000, "at": datetime.now(UTC), "n": None}
    )
    assert line["body"] == "<dict>"
    assert len(line["text"]) == VALUE_CHARS
    assert (line["at"], line["n"]) == ("<datetime>", None)


def test_lines_of_libraries_are_json_too_and_django_s_paths_stay_out(lines: StringIO) -> None:
    logging.getLogger("celery").warning("worker %s", "w1")
    logging.getLogger("django.request").error("Not Found: /v1/subjects/ada")
    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [line["event"] for line in written] == ["worker w1"]


def test_event_names_are_noun_dot_past_tense() -> None:
    for event in Event:
        noun, _, verb = event.partition(".")
        assert noun.replace("_", "").isalpha()
        assert verb.endswith(("ed", "ote", "run", "done", "lost", "written", "died", "rebuilt")), event


@pytest.mark.parametrize("readable", [True, False])
def test_an_exception_shows_where_it_passed_and_nothing_that_it_held(
    readable: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.config.dictConfig(logging_config(level="INFO", readable=readable))
    try:
        raise_over("CANARY in a local value")
    except ValueError:
        logging.getLogger("celery.app.trace").exception("Task failed")
    finally:
        logging.config.dictConfig(settings.LOGGING)
    written = capsys.readouterr().err
    assert "ValueError" in written
    assert "CANARY" not in written


def raise_over(text: str) -> None:
    raise ValueError(text)
