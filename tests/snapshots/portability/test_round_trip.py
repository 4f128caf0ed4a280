"""An export says everything held, and an import takes it back, here or elsewhere. Rows: D1, E8. Matrix: 57."""

from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.apps import apps

from profiles.models import Subject
from snapshots.models import Snapshot
from snapshots.portability.line_kinds import LINE_KINDS, NOT_EXPORTED, IdMapping
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.wall import CANARY, rows_of
from tests.snapshots.portability.exporting import (
    ADA,
    ID,
    ada_of,
    export,
    fill_and_export,
    rename_lines,
    sort_lines,
    take_back,
    write_lines,
)

DOCS = Path(__file__).parents[3] / "docs"


def test_every_table_of_a_subject_leaves_or_says_why_it_stays() -> None:
    owned = {
        model._meta.db_table
        for model in apps.get_models()
        if any(column.attname == "subject_id" for column in model._meta.concrete_fields)
    }
    assert owned == {kind.model._meta.db_table for kind in LINE_KINDS if not kind.owner} | NOT_EXPORTED.keys()


def test_an_export_says_everything_and_counts_it(lines: list[dict[str, Any]]) -> None:
    assert (lines[0]["type"], lines[0]["format"]) == ("header", 2)
    assert lines[1]["subject_id"] == "ada"
    kinds = {line["type"] for line in lines[2:-1]}
    assert {"preference", "profile_fact", "tag", "message", "snapshot", "note", "snapshot_version", "receipt"} <= kinds
    assert sum(lines[-1]["counts"].values()) == len(lines) - 3
    said = orjson.dumps(lines).decode()
    assert f"I drink {CANARY} tea at 家." in said
    assert "content_hash" not in said
    assert {line["type"] for line in lines[2:-1] if line.get("said_offset") == 480} >= {"message", "snapshot"}
    assert "tenant" not in said


def test_what_was_exported_and_erased_comes_back_as_it_was(acme: Caller, world: World) -> None:
    before = fill_and_export(acme)
    found = recall_texts(acme)
    origin = UUID(before[0]["origin"])
    acme("DELETE", ADA)

    job = take_back(acme, before)

    assert (job["kind"], job["status"], job["error"]) == ("import", "succeeded", None)
    assert job["progress"]["done"] == job["progress"]["total"] == len(before) - 3
    assert "conflict" not in job["result"]
    after = export(acme)
    assert sort_lines(after) == rename_lines(before, IdMapping(origin, ada_of(world.acme).id))
    assert recall_texts(acme) == found
    assert body_of(acme("GET", ADA))["metadata"] == {"of": CANARY}


def recall_texts(caller: Caller) -> list[tuple[str, float]]:
    memories = body_of(caller("POST", f"{ADA}/recall", {"query": "tea at home"}))["memories"]
    return [(one["text"], round(one["score"], 3)) for one in memories]


@pytest.mark.slow
def test_an_export_too_large_for_one_import_comes_back_in_the_pieces_that_the_page_cuts(acme: Caller) -> None:
    before = fill_and_export(acme)
    recipe = (DOCS / "data" / "export-import.md").read_text().split("```python\n")[1].split("```")[0]
    told: dict[str, Any] = {}
    exec(recipe, told)  # noqa: S102 - the page's own lines
    pieces = list(told["pieces"](iter(write_lines(before).splitlines(keepends=True)), most=700))
    acme("DELETE", ADA)

    jobs = [take_back(acme, [orjson.loads(line) for line in piece]) for piece in pieces * 2]

    assert len(pieces) > 3
    assert all(job["status"] == "succeeded" and "conflict" not in job["result"] for job in jobs)
    whole = export(acme)
    acme("DELETE", ADA)
    take_back(acme, before)
    at_once = export(acme)
    assert sort_without_ids(whole) == sort_without_ids(at_once)


def sort_without_ids(lines: list[dict[str, Any]]) -> list[str]:
    """Return the lines as they are under any other ids, in no order."""
    return sorted(ID.sub("id", line) for line in sort_lines(lines))


def test_the_same_import_twice_changes_nothing(acme: Caller, lines: list[dict[str, Any]]) -> None:
    take_back(acme, lines)
    once = export(acme)

    job = take_back(acme, lines)

    assert set(job["result"]) <= {"unchanged", "links"}
    assert sort_lines(export(acme)) == sort_lines(once)


@pytest.mark.slow
def test_an_import_over_what_is_there_changes_nothing(acme: Caller) -> None:
    lines = fill_and_export(acme)

    job = take_back(acme, lines)

    assert set(job["result"]) == {"unchanged", "forgotten"}
    assert job["result"]["forgotten"]["message"] == 1, (
        "the message that a user told us to forget, which has no words any more"
    )
    assert sort_lines(export(acme)) == sort_lines(lines)


@pytest.mark.slow
def test_another_tenant_gets_rows_of_its_own(acme: Caller, globex: Caller, world: World) -> None:
    lines = fill_and_export(acme)
    before = rows_of(world.acme.tenant.id)

    job = take_back(globex, lines)

    assert job["status"] == "succeeded"
    assert rows_of(world.acme.tenant.id) == before
    with tenant_tx(world.globex.tenant.id):
        theirs = set(Snapshot.objects.values_list("id", flat=True))
    assert theirs
    assert not theirs & {UUID(line["id"]) for line in lines[2:-1]}
    assert len(export(globex)) == len(lines)


@pytest.mark.slow
def test_an_export_from_another_tenant_says_the_same_but_for_its_origin(
    acme: Caller, globex: Caller, world: World
) -> None:
    exported = fill_and_export(acme)
    there = take_back(globex, exported)
    assert there["status"] == "succeeded"

    again = export(globex)

    with tenant_tx(world.globex.tenant.id):
        target = Subject.objects.get(external_id="ada").id
    assert sort_lines(again) == rename_lines(exported, IdMapping(UUID(exported[0]["origin"]), target))
    assert again[-1] == exported[-1]
    for number, differing in ((0, {"exported_at", "origin"}), (1, {"created_at"})):
        assert {name for name in again[number] if again[number][name] != exported[number][name]} == differing


@pytest.mark.slow
def test_an_export_goes_to_another_subject_of_the_same_tenant(acme: Caller) -> None:
    lines = fill_and_export(acme)

    take_back(acme, lines, "?subject_id=bea")

    assert len(export(acme, "bea")) == len(lines)
    assert sort_lines(export(acme)) == sort_lines(lines)


@pytest.mark.slow
def test_notes_come_back_with_their_contacts_under_ids_of_the_new_subject(acme: Caller, globex: Caller) -> None:
    lines = fill_and_export(acme)

    job = take_back(globex, lines, "?subject_id=gil")

    assert "conflict" not in job["result"]
    tags = {one["id"] for one in body_of(globex("GET", "/v1/subjects/gil/tags"))["data"]}
    mine, theirs = (
        body_of(caller("GET", f"/v1/subjects/{name}/notes?include_history=true"))["data"]
        for caller, name in ((acme, "ada"), (globex, "gil"))
    )
    assert [one["text"] for one in theirs] == [one["text"] for one in mine]
    told = [one for one in theirs if one["about"]]
    assert told
    assert all(one["about"]["id"] in tags for one in told)
    assert {one["id"] for one in theirs}.isdisjoint(one["id"] for one in mine)
    edited = next(one for one in theirs if " 3 " in one["text"])
    states = body_of(globex("GET", f"/v1/subjects/gil/notes/{edited['id']}/history"))["data"]
    assert [one["grade"] for one in states] == ["about_other", "habit", "about_other"]
    assert all(one["about"]["id"] in tags for one in states)


@pytest.mark.slow
def test_what_was_forgotten_is_not_brought_back_unless_allowed(acme: Caller, world: World) -> None:
    lines = fill_and_export(acme)
    made = next(line for line in lines if line["type"] == "snapshot" and line["text"].startswith("I drink"))
    acme("POST", f"{ADA}/snapshots/{made['id']}/forget", {})

    refused = take_back(acme, lines)

    assert refused["result"]["forgotten"]["message"] >= 1
    assert refused["result"]["forgotten"]["snapshot"] >= 1
    texts = [line["text"] for line in export(acme) if line["type"] == "snapshot"]
    assert made["text"] not in texts
    take_back(acme, lines, "?allow_forgotten=true")
    assert made["text"] in [line["text"] for line in export(acme) if line["type"] == "snapshot"]
