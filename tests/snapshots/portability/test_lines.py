"""What an import takes of a line, and what it refuses. Rows: D1, E2, P5. Matrix: 57."""

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from snapshots.models import SnapshotKind
from snapshots.portability.line_kinds import IdMapping
from snapshots.understanding.note_backfill import backfill_notes, count_unread_messages
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.portability.exporting import ADA, LINES, ada_of, export, take_back

FORMAT_1 = Path(__file__).parents[2] / "data" / "export-format-1.jsonl"
Lines = list[dict[str, Any]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "field"),
    [
        (lambda lines: lines[:-1], "lines.{last}"),
        (lambda lines: lines[:3] + lines[4:], "lines.{last}.counts"),
        (lambda lines: [*lines[:2], {**lines[2], "id": 7}, *lines[3:]], "lines.2.id"),
        (lambda lines: [*lines[:2], {**lines[2], "surprise": 7}, *lines[3:]], "lines.2.surprise"),
        (lambda lines: [*lines[:2], {**lines[2], "confidence": 1.5}, *lines[3:]], "lines.2.confidence"),
        (
            lambda lines: [*lines[:2], {**lines[2], "valid_at": "0001-01-01T00:00:00+14:00"}, *lines[3:]],
            "lines.2.valid_at",
        ),
        (
            lambda lines: [*lines[:2], {**lines[2], "valid_at": "9999-12-31T23:59:59-14:00"}, *lines[3:]],
            "lines.2.valid_at",
        ),
        (lambda lines: [*lines[:2], {**lines[2], "type": "tenant"}, *lines[3:]], "lines.2.type"),
        (lambda lines: [{**lines[0], "format": 3}, *lines[1:]], "lines.0.format"),
        (lambda lines: [lines[0], {**lines[1], "subject_id": "a/b"}, *lines[2:]], "lines.1.subject_id"),
        (lambda lines: [], "lines"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_stored(
    acme: Caller, world: World, lines: Lines, spoil: Any, field: str
) -> None:
    lines = spoil(lines)
    acme("GET", ADA)  # marks the key as used
    before = rows_of(world.acme.tenant.id)

    problem = problem_of(acme("POST", "/v1/import", {"lines": lines}), 400)

    assert [fault["field"] for fault in problem["errors"]] == [field.format(last=len(lines) - 1)]
    assert rows_of(world.acme.tenant.id) == before


@pytest.mark.slow
def test_a_clock_that_there_cannot_be_is_refused(acme: Caller, lines: Lines) -> None:
    at = next(number for number, line in enumerate(lines) if line["type"] == "snapshot")
    lines = [*lines[:at], {**lines[at], "said_offset": 1440}, *lines[at + 1 :]]
    problem = problem_of(acme("POST", "/v1/import", {"lines": lines}), 400)
    assert [fault["field"] for fault in problem["errors"]] == [f"lines.{at}.said_offset"]


def test_a_value_beyond_a_limit_gets_the_limit_and_is_not_repeated(acme: Caller, lines: Lines) -> None:
    at = next(number for number, line in enumerate(lines) if line["type"] == "snapshot")
    allowed = {}
    for name, value in {"confidence": 1.5, "importance": -1.5, "kind": "tale", "category": "c" * 500}.items():
        spoilt = [*lines[:at], {**lines[at], name: value}, *lines[at + 1 :]]
        [fault] = problem_of(acme("POST", "/v1/import", {"lines": spoilt}), 400)["errors"]
        allowed[fault["field"].rpartition(".")[2]] = fault["message"]
    assert allowed == {
        "confidence": "Must be at most 1.0.",
        "importance": "Must be at least 0.0.",
        "kind": f"Must be one of: {', '.join(SnapshotKind.values)}.",
        "category": "Must have at most 100 characters.",
    }


def test_a_line_that_is_no_json_is_named_by_its_own_place(acme: Caller) -> None:
    lines = b'{"type": "header"}\n\n{"type": "subject"}\n{"type": oops}\n'

    problem = problem_of(acme("POST", "/v1/import", lines, Content_Type=LINES), 400)

    assert [(fault["field"], fault["code"]) for fault in problem["errors"]] == [("lines.2", "malformed_json")]
    assert "column 10" in problem["detail"]


def test_an_export_of_format_1_is_read_for_ever(acme: Caller) -> None:
    stored = [orjson.loads(line) for line in FORMAT_1.read_bytes().splitlines()]
    assert stored[0]["format"] == 1

    job = take_back(acme, stored)

    assert (job["status"], job["error"]) == ("succeeded", None)
    assert job["result"]["stored"] == stored[-1]["counts"]
    assert job["result"].keys() == {"stored", "links"}
    after = export(acme)
    assert after[0]["format"] == 2
    assert after[-1]["counts"] == stored[-1]["counts"]
    texts = {line["text"] for line in after if line["type"] == "snapshot"}
    assert texts == {line["text"] for line in stored if line["type"] == "snapshot"}


def test_messages_of_an_import_are_read_for_notes_though_those_before_were(acme: Caller, world: World) -> None:
    tenant_id = world.acme.tenant.id
    acme("POST", f"{ADA}/conversations/c9/messages", {"messages": [{"role": "user", "content": "what time is it"}]})
    assert [done.messages for done in backfill_notes(tenant_id) if done.messages] == [1]
    assert count_unread_messages(tenant_id) == 0

    take_back(acme, [orjson.loads(line) for line in FORMAT_1.read_bytes().splitlines()])

    assert count_unread_messages(tenant_id) > 1


@pytest.mark.slow
def test_details_of_an_imported_note_are_as_free_of_secrets_as_any_text(acme: Caller, lines: Lines) -> None:
    card = "4111 1111 1111 1111"
    hostile = [
        {**line, "about_label": card, "context": f"my card is {card}"} if line["type"] == "note" else line
        for line in lines
    ]

    take_back(acme, hostile)

    notes = body_of(acme("GET", f"{ADA}/notes"))["data"]
    assert notes
    assert card not in orjson.dumps(notes).decode()


def test_no_import_brings_a_card_or_a_secret_into_a_belief(acme: Caller, world: World, lines: Lines) -> None:
    spoilt = {"preference": "value", "tag": "phone", "profile_fact": "value", "candidate": "value"}
    wanted = {name: next(line for line in lines if line["type"] == name) for name in spoilt}
    hostile = [
        {**line, spoilt[line["type"]]: "4111 1111 1111 1111"} if line in wanted.values() else line for line in lines
    ]

    result = take_back(acme, hostile, "?allow_forgotten=true")["result"]

    assert result["sensitive"] == dict.fromkeys(spoilt, 1)
    there = export(acme)
    assert not {id_here(world, lines, line) for line in wanted.values()} & {line.get("id") for line in there}
    assert "4111 1111 1111 1111" not in str(there)


def test_a_link_to_a_value_that_the_export_came_too_early_for_is_left_out(acme: Caller, lines: Lines) -> None:
    """A note is told with its links after the values: a worker may have made one of them in between."""
    note = next(line for line in lines if line["type"] == "note")
    nothing = dict.fromkeys(("fact_id", "tag_id"))
    link = {"type": "note_slot", "id": str(uuid4()), "snapshot_id": note["snapshot_id"], **nothing}
    counts = {**lines[-1]["counts"], "note_slot": lines[-1]["counts"].get("note_slot", 0) + 1}
    told = [*lines[:-1], {**link, "preference_id": str(uuid4())}, {**lines[-1], "counts": counts}]

    done = take_back(acme, told)

    assert done["status"] == "succeeded", done
    assert done["result"]["conflict"]["note_slot"] == 1


def id_here(world: World, lines: Lines, line: dict[str, Any]) -> str:
    """Return the id that a line's row gets when acme's Ada imports it."""
    return str(IdMapping(UUID(lines[0]["origin"]), ada_of(world.acme).id).map_id(UUID(line["id"])))


@pytest.mark.parametrize(
    ("kind", "column", "value"),
    [
        ("tag", "aliases", ["the card", "4111 1111 1111 1111"]),
        ("preference", "value", 4111111111111111.0),
        ("preference", "value", [4111, 1111, 1111, 1111]),
        ("profile_fact", "value", ["4111", "1111", "1111", "1111"]),
    ],
)
def test_no_import_brings_a_card_in_parts_or_beside_a_label(
    acme: Caller, world: World, lines: Lines, kind: str, column: str, value: Any
) -> None:
    spoilt = next(line for line in lines if line["type"] == kind)

    result = take_back(acme, [{**line, column: value} if line is spoilt else line for line in lines])["result"]

    assert result["sensitive"] == {kind: 1}
    assert id_here(world, lines, spoilt) not in {line.get("id") for line in export(acme)}


def test_an_imported_topic_holds_no_card(acme: Caller, lines: Lines) -> None:
    lines = [
        {**line, "topics": ["boats", "4111 1111 1111 1111"]} if line["type"] == "snapshot" else line for line in lines
    ]

    take_back(acme, lines)

    assert {tuple(line["topics"]) for line in export(acme) if line["type"] == "snapshot"} == {("boats",)}


def test_no_import_is_surer_than_its_provenance_allows(acme: Caller, lines: Lines) -> None:
    sure = {"provenance": "observation", "confidence": 1.0}
    kinds = {"preference", "profile_fact", "tag", "snapshot"}
    lines = [{**line, **sure} if line["type"] in kinds else line for line in lines]

    take_back(acme, lines)

    assert {line["type"]: line["confidence"] for line in export(acme) if line["type"] in kinds} == dict.fromkeys(
        sorted(kinds), 0.6
    )
