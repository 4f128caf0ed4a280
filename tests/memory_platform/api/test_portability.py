"""An export says everything held, and an import takes it back, here or elsewhere. Rows: D1, E8. Matrix: 57."""

import re
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.apps import apps

from profiles.models import Subject
from snapshots.jobs import ASKED, drain_work_job
from snapshots.models import Job, JobPart, Snapshot
from snapshots.portability import imports
from snapshots.portability.export import export_lines
from snapshots.portability.lines import KINDS, STAYS
from snapshots.portability.renaming import Renaming
from snapshots.queue.asked_jobs import claim_job, work_at_jobs
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.wall import CANARY, rows_of, seed

FORMAT_1 = Path(__file__).parents[2] / "data" / "export-format-1.jsonl"
DOCS = Path(__file__).parents[3] / "docs"
ADA = "/v1/subjects/ada"
LINES = "application/x-ndjson"
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def export(caller: Caller, subject_id: str = "ada") -> list[dict[str, Any]]:
    response = caller("GET", f"/v1/subjects/{subject_id}/export")
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == LINES
    return [orjson.loads(line) for line in response.content.splitlines()]


def body(lines: list[dict[str, Any]]) -> bytes:
    return b"\n".join(orjson.dumps(line) for line in lines)


def take_back(caller: Caller, lines: list[dict[str, Any]], query: str = "") -> dict[str, Any]:
    """Import, let the workers work, and return the job."""
    response = caller("POST", f"/v1/import{query}", body(lines), Content_Type=LINES)
    assert response.status_code == 202, response.content
    assert caller.house is not None
    work_at_jobs(caller.house.tenant.id, ASKED, may_go_on=lambda: True)
    return body_of(caller("GET", f"/v1/jobs/{body_of(response)['job_id']}"))


def full(caller: Caller) -> list[dict[str, Any]]:
    """Give ada a memory of every kind, and return her export."""
    assert caller.house is not None
    seed(caller)
    drain_work_job(tenant_id=str(caller.house.tenant.id))
    caller("POST", f"{ADA}/conversations/c1/end", {})
    drain_work_job(tenant_id=str(caller.house.tenant.id))
    return export(caller)


def renamed(lines: list[dict[str, Any]], renaming: Renaming) -> list[str]:
    """Return the lines between subject and end as they are to come back, in no order."""

    def here(match: re.Match[str]) -> str:
        return str(renaming.of(UUID(match[0])))

    return sorted(_ID.sub(here, orjson.dumps(line, option=orjson.OPT_SORT_KEYS).decode()) for line in lines[2:-1])


def plain(lines: list[dict[str, Any]]) -> list[str]:
    return sorted(orjson.dumps(line, option=orjson.OPT_SORT_KEYS).decode() for line in lines[2:-1])


def ada_of(house: House) -> Subject:
    with tenant_tx(house.tenant.id):
        return Subject.objects.get(external_id="ada")


def test_every_table_of_a_subject_leaves_or_says_why_it_stays() -> None:
    owned = {
        model._meta.db_table
        for model in apps.get_models()
        if any(column.attname == "subject_id" for column in model._meta.concrete_fields)
    }
    assert owned == {kind.model._meta.db_table for kind in KINDS} | STAYS.keys()


def test_an_export_says_everything_and_counts_it(acme: Caller) -> None:
    lines = full(acme)

    assert (lines[0]["type"], lines[0]["format"]) == ("header", 2)
    assert lines[1]["subject_id"] == "ada"
    kinds = {line["type"] for line in lines[2:-1]}
    assert {"preference", "profile_fact", "tag", "message", "snapshot", "note", "snapshot_version", "receipt"} <= kinds
    assert sum(lines[-1]["counts"].values()) == len(lines) - 3
    said = orjson.dumps(lines).decode()
    assert f"I drink {CANARY} tea at 家." in said
    assert "content_hash" not in said
    assert "tenant" not in said


def test_what_was_exported_and_erased_comes_back_as_it_was(acme: Caller, world: World) -> None:
    before = full(acme)
    found = recalled(acme)
    origin = UUID(before[0]["origin"])
    acme("DELETE", ADA)

    job = take_back(acme, before)

    assert (job["kind"], job["status"], job["error"]) == ("import", "succeeded", None)
    assert job["progress"]["done"] == job["progress"]["total"] == len(before) - 3
    assert "conflict" not in job["result"]
    after = export(acme)
    assert plain(after) == renamed(before, Renaming(origin, ada_of(world.acme).id))
    assert recalled(acme) == found
    assert body_of(acme("GET", ADA))["metadata"] == {"of": CANARY}


def recalled(caller: Caller) -> list[tuple[str, float]]:
    memories = body_of(caller("POST", f"{ADA}/recall", {"query": "tea at home"}))["memories"]
    return [(one["text"], round(one["score"], 3)) for one in memories]


@pytest.mark.slow
def test_an_export_too_large_for_one_import_comes_back_in_the_pieces_that_the_page_cuts(acme: Caller) -> None:
    before = full(acme)
    recipe = (DOCS / "deletion.md").read_text().split("```python\n")[1].split("```")[0]
    told: dict[str, Any] = {}
    exec(recipe, told)  # noqa: S102 - the page's own lines
    pieces = list(told["pieces"](iter(body(before).splitlines(keepends=True)), most=700))
    acme("DELETE", ADA)

    jobs = [take_back(acme, [orjson.loads(line) for line in piece]) for piece in pieces * 2]

    assert len(pieces) > 3
    assert all(job["status"] == "succeeded" and "conflict" not in job["result"] for job in jobs)
    whole = export(acme)
    acme("DELETE", ADA)
    take_back(acme, before)
    at_once = export(acme)
    assert without_ids(whole) == without_ids(at_once)


def without_ids(lines: list[dict[str, Any]]) -> list[str]:
    """Return the lines as they are under any other ids, in no order."""
    return sorted(_ID.sub("id", line) for line in plain(lines))


def test_the_same_import_twice_changes_nothing(acme: Caller, world: World) -> None:
    lines = full(acme)
    acme("DELETE", ADA)
    take_back(acme, lines)
    once = export(acme)

    job = take_back(acme, lines)

    assert set(job["result"]) <= {"unchanged", "links"}
    assert plain(export(acme)) == plain(once)


def test_an_import_over_what_is_there_changes_nothing(acme: Caller) -> None:
    lines = full(acme)

    job = take_back(acme, lines)

    assert set(job["result"]) == {"unchanged", "forgotten"}
    assert job["result"]["forgotten"]["message"] == 1, (
        "the message that a user told us to forget, which has no words any more"
    )
    assert plain(export(acme)) == plain(lines)


def test_another_tenant_gets_rows_of_its_own(acme: Caller, globex: Caller, world: World) -> None:
    lines = full(acme)
    before = rows_of(world.acme.tenant.id)

    job = take_back(globex, lines)

    assert job["status"] == "succeeded"
    assert rows_of(world.acme.tenant.id) == before
    with tenant_tx(world.globex.tenant.id):
        theirs = set(Snapshot.objects.values_list("id", flat=True))
    assert theirs
    assert not theirs & {UUID(line["id"]) for line in lines[2:-1]}
    assert len(export(globex)) == len(lines)


def test_an_export_goes_to_another_subject_of_the_same_tenant(acme: Caller) -> None:
    lines = full(acme)

    take_back(acme, lines, "?subject_id=bea")

    assert len(export(acme, "bea")) == len(lines)
    assert plain(export(acme)) == plain(lines)


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
def test_a_bad_line_is_named_and_nothing_is_stored(acme: Caller, world: World, spoil: Any, field: str) -> None:
    lines = spoil(full(acme))
    before = rows_of(world.acme.tenant.id)

    problem = problem_of(acme("POST", "/v1/import", {"lines": lines}), 400)

    assert [fault["field"] for fault in problem["errors"]] == [field.format(last=len(lines) - 1)]
    assert rows_of(world.acme.tenant.id) == before


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


def test_notes_come_back_with_their_contacts_under_ids_of_the_new_subject(acme: Caller, globex: Caller) -> None:
    lines = full(acme)

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


def test_details_of_an_imported_note_are_as_free_of_secrets_as_any_text(acme: Caller) -> None:
    lines = full(acme)
    card = "4111 1111 1111 1111"
    hostile = [
        {**line, "about_label": card, "context": f"my card is {card}"} if line["type"] == "note" else line
        for line in lines
    ]
    acme("DELETE", ADA)

    take_back(acme, hostile)

    notes = body_of(acme("GET", f"{ADA}/notes"))["data"]
    assert notes
    assert card not in orjson.dumps(notes).decode()


def test_what_was_forgotten_is_not_brought_back_unless_allowed(acme: Caller, world: World) -> None:
    lines = full(acme)
    made = next(line for line in lines if line["type"] == "snapshot" and line["text"].startswith("I drink"))
    acme("POST", f"{ADA}/snapshots/{made['id']}/forget", {})

    refused = take_back(acme, lines)

    assert refused["result"]["forgotten"]["message"] >= 1
    assert refused["result"]["forgotten"]["snapshot"] >= 1
    texts = [line["text"] for line in export(acme) if line["type"] == "snapshot"]
    assert made["text"] not in texts
    take_back(acme, lines, "?allow_forgotten=true")
    assert made["text"] in [line["text"] for line in export(acme) if line["type"] == "snapshot"]


def test_no_import_brings_a_card_or_a_secret_into_a_belief(acme: Caller) -> None:
    lines = full(acme)
    spoilt = {"preference": "value", "tag": "phone", "profile_fact": "value", "candidate": "value"}
    wanted = {name: next(line for line in lines if line["type"] == name) for name in spoilt}
    hostile = [
        {**line, spoilt[line["type"]]: "4111 1111 1111 1111"} if line in wanted.values() else line for line in lines
    ]
    acme("DELETE", ADA)

    result = take_back(acme, hostile, "?allow_forgotten=true")["result"]

    assert result["sensitive"] == dict.fromkeys(spoilt, 1)
    there = export(acme)
    assert not {line["id"] for line in wanted.values()} & {line.get("id") for line in there}
    assert "4111 1111 1111 1111" not in str(there)


@pytest.mark.parametrize(
    ("kind", "column", "value"),
    [
        ("tag", "aliases", ["the card", "4111 1111 1111 1111"]),
        ("preference", "value", 4111111111111111.0),
        ("preference", "value", [4111, 1111, 1111, 1111]),
        ("profile_fact", "value", ["4111", "1111", "1111", "1111"]),
    ],
)
def test_no_import_brings_a_card_in_parts_or_beside_a_label(acme: Caller, kind: str, column: str, value: Any) -> None:
    lines = full(acme)
    spoilt = next(line for line in lines if line["type"] == kind)
    acme("DELETE", ADA)

    result = take_back(acme, [{**line, column: value} if line is spoilt else line for line in lines])["result"]

    assert result["sensitive"] == {kind: 1}
    assert spoilt["id"] not in {line.get("id") for line in export(acme)}


def test_an_imported_topic_holds_no_card(acme: Caller) -> None:
    lines = [
        {**line, "topics": ["boats", "4111 1111 1111 1111"]} if line["type"] == "snapshot" else line
        for line in full(acme)
    ]
    acme("DELETE", ADA)

    take_back(acme, lines)

    assert {tuple(line["topics"]) for line in export(acme) if line["type"] == "snapshot"} == {("boats",)}


def test_no_import_is_surer_than_its_provenance_allows(acme: Caller) -> None:
    sure = {"provenance": "observation", "confidence": 1.0}
    kinds = {"preference", "profile_fact", "tag", "snapshot"}
    lines = [{**line, **sure} if line["type"] in kinds else line for line in full(acme)]
    acme("DELETE", ADA)

    take_back(acme, lines)

    assert {line["type"]: line["confidence"] for line in export(acme) if line["type"] in kinds} == dict.fromkeys(
        sorted(kinds), 0.6
    )


def test_a_worker_that_dies_is_followed_by_the_next(
    acme: Caller, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = full(acme)
    acme("DELETE", ADA)
    response = acme("POST", "/v1/import", body(lines), Content_Type=LINES)
    real, done = imports._store_part, list[None]()

    def dies_after_three(*args: Any) -> None:
        if len(done) == 3:
            raise KeyboardInterrupt
        real(*args)
        done.append(None)

    monkeypatch.setattr(imports, "_store_part", dies_after_three)
    with pytest.raises(KeyboardInterrupt):
        work_at_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)
    monkeypatch.setattr(imports, "_store_part", real)
    with tenant_tx(world.acme.tenant.id):
        assert claim_job() is None  # its lease still runs
        left = JobPart.objects.count()
        Job.objects.update(lease_until="2020-01-01T00:00:00Z")
    assert left

    work_at_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)

    job = body_of(acme("GET", f"/v1/jobs/{body_of(response)['job_id']}"))
    assert (job["status"], job["attempts"]) == ("succeeded", 2)
    assert len(export(acme)) == len(lines)
    with tenant_tx(world.acme.tenant.id):
        assert JobPart.objects.count() == 0


def test_an_erased_subject_s_waiting_import_is_erased_with_it(acme: Caller, world: World) -> None:
    lines = full(acme)
    acme("POST", "/v1/import?subject_id=bea", body(lines), Content_Type=LINES)
    acme("DELETE", "/v1/subjects/bea")

    work_at_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)

    with tenant_tx(world.acme.tenant.id):
        assert not JobPart.objects.exists()
        assert not Subject.objects.filter(external_id="bea").exists()


def test_an_export_that_meets_an_erasure_ends_without_its_last_line(acme: Caller, world: World) -> None:
    full(acme)
    lines = export_lines(world.acme.tenant.id, "ada")
    first = [next(lines), next(lines)]
    acme("DELETE", ADA)

    rest = list(lines)

    assert len(first) == 2
    assert b'"end"' not in b"".join(rest)


def test_an_import_is_repeated_by_its_key(acme: Caller, world: World) -> None:
    lines = full(acme)
    first, second = (acme("POST", "/v1/import", {"lines": lines}, Idempotency_Key="i") for _ in "12")
    assert body_of(first) == body_of(second)
    assert second["Idempotent-Replayed"] == "true"
    with tenant_tx(world.acme.tenant.id):
        assert Job.objects.filter(kind="import").count() == 1
