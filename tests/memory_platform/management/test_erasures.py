"""Certificates on the command line: checked, and replayed after a restore. Rows: E8. Matrix: 61."""

from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command

from snapshots.erasure.config import ErasureConfig
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.jobs import ASKED, drain_work_job
from snapshots.models import Conversation, Snapshot
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.held import say

ADA = "/v1/subjects/ada"


def run(command: str, path: Path) -> str:
    out = StringIO()
    call_command(command, str(path), stdout=out)
    return out.getvalue()


def write_lines(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    return path


def test_a_genuine_certificate_passes_and_a_changed_one_fails(world: World, tmp_path: Path) -> None:
    answer = body_of(Caller(world.acme)("DELETE", ADA))
    assert "genuine" in run("verify_certificate", write_lines(tmp_path / "one", answer, answer["certificate"]))
    forged = {**answer["certificate"], "erased": {"message": 1_000}}
    with pytest.raises(CommandError, match="1 of 1 are not genuine"):
        run("verify_certificate", write_lines(tmp_path / "two", forged))
    with pytest.raises(CommandError, match="Nothing was erased"):
        run("replay_erasures", write_lines(tmp_path / "two", forged))
    (tmp_path / "three").write_text("{")
    with pytest.raises(CommandError, match="one JSON object a line"):
        run("verify_certificate", tmp_path / "three")


def test_what_a_restore_brings_back_is_erased_again(world: World, tmp_path: Path) -> None:
    """The restore is told by the clock: the certificate is of a time after the row that is there was made."""
    acme, house = Caller(world.acme), world.acme
    say(house, "My sister Kestrel4711 lives in Utrecht")
    say(house, "I like Kestrel4711 feathers", conversation="other")
    drain_work_job(tenant_id=str(house.tenant.id))
    lines = acme("GET", f"{ADA}/export").content
    with tenant_tx(house.tenant.id):
        memory = Snapshot.objects.get(text__startswith="My sister", kind="statement")
        gone = delete_conversation(lock_conversation("ada", "other"))
    forgotten = body_of(acme("POST", f"{ADA}/snapshots/{memory.id}/forget", {}))
    conversation = body_of(acme("GET", f"/v1/erasures/{gone.id}"))
    erased = body_of(acme("DELETE", ADA))
    acme("POST", "/v1/import", lines, Content_Type="application/x-ndjson")
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)
    certificates = write_lines(tmp_path / "certificates", forgotten, conversation, erased)

    # Made after the erasures: another person under the same id.
    assert "0 erased again" in run("replay_erasures", certificates)
    with tenant_tx(house.tenant.id):
        house.subject.__class__.objects.filter(external_id="ada").update(created_at="2020-01-01T00:00:00Z")
        Conversation.objects.update(created_at="2020-01-01T00:00:00Z")

    said = run("replay_erasures", certificates)

    assert "2 erased again" in said  # the memory has another id here, and went with its subject
    assert acme("GET", ADA).status_code == 404


def test_beliefs_that_a_restore_brings_back_are_forgotten_again(world: World, tmp_path: Path) -> None:
    acme, house = Caller(world.acme), world.acme
    tea = f"{ADA}/preferences/drinks/tea"
    acme("PUT", tea, {"value": "Kestrel4711"})
    acme("PATCH", f"{ADA}/profile", {"occupation": "养Kestrel4711的人"})
    tag = body_of(acme("POST", f"{ADA}/tags", {"label": "mews", "kind": "place", "address": "Kestrel4711 Lane"}))
    acme("PUT", f"{ADA}/preferences/drinks/coffee", {"value": "black"})
    backup = acme("GET", f"{ADA}/export").content
    acme("PUT", tea, {"value": "Kestrel4711 with milk"})
    calls: tuple[tuple[str, dict[str, str]], ...] = (
        (f"{tea}/forget", {}),
        (f"{ADA}/profile/forget", {"field": "occupation"}),
        (f"{ADA}/tags/{tag['id']}/forget", {}),
    )
    certificates = write_lines(tmp_path / "certificates", *(body_of(acme("POST", path, sent)) for path, sent in calls))
    assert "Kestrel4711" not in acme("GET", f"{ADA}/export").content.decode()
    acme("POST", "/v1/import?allow_forgotten=true", backup, Content_Type="application/x-ndjson")
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)
    assert acme("GET", f"{ADA}/export").content.decode().count("Kestrel4711") >= 3

    assert "3 erased again" in run("replay_erasures", certificates)

    assert "Kestrel4711" not in acme("GET", f"{ADA}/export").content.decode()
    assert body_of(acme("GET", f"{ADA}/preferences/drinks/coffee"))["value"] == "black"
    assert "0 erased again" in run("replay_erasures", certificates)


def test_who_came_under_the_same_id_while_rows_were_leaving_is_not_erased_again(world: World, tmp_path: Path) -> None:
    acme, house = Caller(world.acme), world.acme
    say(house, "My sister Kestrel4711 lives in Utrecht")
    erasure, _ = erase_subject(house.tenant.id, "ada", by=COMMAND_LINE, config=ErasureConfig(at_once_rows=-1))
    assert acme("PUT", ADA, {}).status_code == 201
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)

    done = body_of(acme("GET", f"/v1/erasures/{erasure.id}"))

    assert done["status"] == "done"
    assert "0 erased again" in run("replay_erasures", write_lines(tmp_path / "certificates", done))
    assert acme("GET", ADA).status_code == 200


def test_certificates_are_listed_a_line_each_since_a_time(world: World) -> None:
    certificate = body_of(Caller(world.acme)("DELETE", ADA))["certificate"]
    other = body_of(Caller(world.globex)("DELETE", "/v1/subjects/gil"))["certificate"]

    def list_certificates(*arguments: str) -> list[Any]:
        out = StringIO()
        call_command("list_certificates", *arguments, stdout=out)
        return [orjson.loads(line) for line in out.getvalue().splitlines()]

    assert list_certificates() == [certificate, other]
    assert list_certificates("--since", other["erased_at"]) == [other]
    assert list_certificates("--since", "2100-01-01T00:00:00Z") == []
    with pytest.raises(CommandError, match="with its offset"):
        list_certificates("--since", "2026-01-01")
