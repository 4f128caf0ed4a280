"""A subject is erased through the API: nothing is left, the proof holds, the id starts anew. Rows: E8, D1.

Matrix: 57, 60.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from pytest_django.fixtures import Settings
from redis import Redis

from memory_platform.providers.redis.client import redis_client
from profiles.models import Subject
from profiles.services.erasure_certificates import compute_signature, is_genuine
from snapshots.erasure import subjects as erasing
from snapshots.erasure.config import ErasureConfig
from snapshots.jobs import ASKED, drain_work_job
from snapshots.queue.metrics import count_work
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.wall import CANARY, rows_of, seed

ADA = "/v1/subjects/ada"
NAMED = re.compile(r"\bada\b")
"""The subject's id as a word: digits of a hash may spell it by chance."""


@pytest.fixture(autouse=True)
def clean_redis() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    yield


def redis_dump() -> bytes:
    def read(client: "Redis") -> bytes:
        values: list[bytes] = []
        for key in client.scan_iter():
            kind = client.type(key)
            if kind == b"hash":
                values += [part for pair in client.hgetall(key).items() for part in pair]  # type: ignore[union-attr]
            elif kind == b"string":
                values.append(client.get(key) or b"")  # type: ignore[arg-type]
            values.append(key)
        return b"\n".join(values)

    return redis_client().call("tests", read)


def hits(house: House) -> dict[str, int]:
    """Return how many rows of each table hold the canary."""
    words = (CANARY, CANARY.encode().hex())  # columns of bytes are shown in hex
    rows_by_table = rows_of(house.tenant.id).items()
    found = {table: sum(any(word in row for word in words) for row in rows) for table, rows in rows_by_table}
    return {table: rows for table, rows in found.items() if rows}


OF_THE_TENANT = frozenset({"api_key", "policy_version", "experiment", "audit_record", "upstream", "webhook"}) | {
    f"document{part}" for part in ("", "_body", "_chunk", "_collection")
}
"""Tables in which the seed puts the canary into words of the tenant's own; the audit trail holds their reasons."""


def hits_of_subjects(house: House) -> dict[str, int]:
    """Do the same, without what the seed makes the tenant itself say."""
    return {table: rows for table, rows in hits(house).items() if table not in OF_THE_TENANT}


def drain_due_work(house: House) -> None:
    """Let the workers do what is due."""
    drain_work_job(tenant_id=str(house.tenant.id))


def test_nothing_of_an_erased_subject_is_left_and_the_counts_are_true(acme: Caller, world: World) -> None:
    ids = seed(acme)
    acme("GET", f"{ADA}/conversations/c1/window")
    acme("POST", f"{ADA}/snapshots", {"text": f"{CANARY} again"}, Idempotency_Key="k1")
    drain_due_work(world.acme)
    assert {"message", "snapshot", "preference", "profile_fact", "idempotent_reply"} <= hits(world.acme).keys()
    assert CANARY.encode() in redis_dump()
    before = {table: len(rows) for table, rows in rows_of(world.acme.tenant.id).items()}
    reasons = hits(world.acme).get("audit_record", 0)

    certificate = body_of(acme("DELETE", ADA))["certificate"]

    assert hits_of_subjects(world.acme) == {}
    assert hits(world.acme).get("audit_record", 0) == reasons
    assert CANARY.encode() not in redis_dump()
    assert certificate["verified"]["rows_left"] == {}
    assert certificate["verified"]["redis"]["left"] == 0
    after = {table: len(rows) for table, rows in rows_of(world.acme.tenant.id).items()}
    gone = {table: before[table] - after[table] for table in before if before[table] > after[table]}
    assert certificate["erased"] == gone
    assert problem_of(acme("GET", ADA), 404)
    assert problem_of(acme("GET", f"/v1/receipts/{ids.receipt_id}"), 404)
    assert body_of(acme("GET", "/v1/receipts"))["data"] == []
    assert problem_of(acme("DELETE", ADA), 404)


@pytest.mark.slow
def test_the_law_of_work_holds_after_an_erasure(acme: Caller, world: World) -> None:
    seed(acme)
    with tenant_tx(world.acme.tenant.id):
        accepted = count_work().accepted_total

    acme("DELETE", ADA)

    with tenant_tx(world.acme.tenant.id):
        counts = count_work()
    assert counts.accepted_total == counts.removed == accepted


def test_a_certificate_is_genuine_until_somebody_changes_it(acme: Caller, world: World) -> None:
    seed(acme)
    certificate = body_of(acme("DELETE", ADA))["certificate"]

    shown = body_of(acme("GET", f"/v1/erasures/{certificate['id']}"))

    assert shown == {"id": certificate["id"], "status": "done", "genuine": True, "certificate": certificate}
    assert NAMED.search(orjson.dumps(certificate).decode()) is None
    with tenant_tx(world.acme.tenant.id):
        assert is_genuine(certificate)
        assert not is_genuine(certificate | {"erased": {}})
        assert not is_genuine(certificate | {"signature": None})


@pytest.mark.slow
def test_no_member_and_no_part_of_a_signature_can_be_changed(
    acme: Caller, globex: Caller, world: World, settings: Settings
) -> None:
    seed(acme)
    certificate = body_of(acme("DELETE", ADA))["certificate"]
    theirs = body_of(globex("DELETE", "/v1/subjects/gil"))["certificate"]
    version, key, digest = certificate["signature"].split(".")
    signatures = (
        theirs["signature"],
        f"v1.{key}.{digest}",
        f"v3.{key}.{digest}",
        f"{version}.00000000.{digest}",
        f"{version}.{key}.{digest[:-1]}",
        f"{version}.{key}.{digest.upper()}",
        f"{certificate['signature']}.",
        "签名",
        "",
    )
    with tenant_tx(world.acme.tenant.id):
        assert is_genuine(certificate)
        for name in sorted(certificate.keys() - {"signature"}):
            assert not is_genuine(certificate | {name: theirs[name]}) or certificate[name] == theirs[name], name
            assert not is_genuine(certificate | {name: "另一个"}), name
        assert [signature for signature in signatures if is_genuine(certificate | {"signature": signature})] == []
        settings.KEY_PEPPER = "a pepper of somebody else who signs certificates, too"
        assert not is_genuine(certificate)


def test_a_certificate_from_before_there_were_marks_is_genuine_without_any(acme: Caller, world: World) -> None:
    certificate = body_of(acme("DELETE", ADA))["certificate"]
    with tenant_tx(world.acme.tenant.id):
        old = certificate | {"signature": compute_signature(certificate, version="v1")}
        assert is_genuine(old)
        assert is_genuine({name: old[name] for name in old if name != "marks"})
        assert not is_genuine(old | {"marks": {"text": ["00" * 32]}})
        assert not is_genuine(certificate | {"marks": {"text": ["00" * 32]}})


@pytest.mark.slow
def test_the_same_id_starts_anew_and_another_tenant_s_subject_stays(acme: Caller, globex: Caller, world: World) -> None:
    seed(acme)
    seed(globex, "ada")
    kept = hits(world.globex)

    acme("DELETE", ADA)

    assert hits(world.globex) == kept
    made = acme("PUT", ADA, {})
    assert made.status_code == 201
    assert body_of(acme("GET", f"{ADA}/snapshots"))["data"] == []
    assert body_of(acme("POST", f"{ADA}/recall", {"query": CANARY}))["memories"] == []


def test_a_kept_answer_is_not_replayed_after_the_erasure(acme: Caller) -> None:
    first = acme("POST", f"{ADA}/snapshots", {"text": f"{CANARY} again"}, Idempotency_Key="k1")
    acme("DELETE", ADA)

    second = acme("POST", f"{ADA}/snapshots", {"text": f"{CANARY} again"}, Idempotency_Key="k1")

    assert "Idempotent-Replayed" not in second
    assert body_of(second)["id"] != body_of(first)["id"]


@pytest.mark.slow
def test_a_large_subject_is_out_of_sight_at_once_and_gone_when_its_job_is_done(
    acme: Caller, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = seed(acme)
    monkeypatch.setattr(erasing.erase_subject, "__kwdefaults__", {"reason": "", "config": small_policy()})

    reasons = hits(world.acme).get("audit_record", 0)
    response = acme("DELETE", ADA)

    assert response.status_code == 202
    answer = body_of(response)
    for path in (ADA, f"{ADA}/snapshots", f"{ADA}/profile", f"/v1/receipts/{ids.receipt_id}"):
        assert problem_of(acme("GET", path), 404)
    assert [one["subject_id"] for one in body_of(acme("GET", "/v1/subjects"))["data"]] == []
    assert body_of(acme("GET", "/v1/receipts"))["data"] == []
    assert acme("PUT", ADA, {}).status_code == 201
    job = body_of(acme("GET", f"/v1/jobs/{answer['job_id']}"))
    assert (job["kind"], job["status"]) == ("erasure", "queued")

    run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)

    job = body_of(acme("GET", f"/v1/jobs/{answer['job_id']}"))
    assert (job["status"], job["error"]) == ("succeeded", None)
    shown = body_of(acme("GET", f"/v1/erasures/{answer['erasure_id']}"))
    assert shown["genuine"]
    assert shown["certificate"]["verified"]["rows_left"] == {}
    assert hits_of_subjects(world.acme) == {}
    assert hits(world.acme).get("audit_record", 0) == reasons
    with tenant_tx(world.acme.tenant.id):
        assert list(Subject.objects.values_list("external_id", "erasing")) == [("ada", False)]


def small_policy(**changes: Any) -> ErasureConfig:
    return ErasureConfig(at_once_rows=5, batch=3, **changes)


def test_the_audit_trail_tells_who_erased_and_not_whom(acme: Caller, world: World) -> None:
    acme("DELETE", ADA)

    (record,) = (row for row in rows_of(world.acme.tenant.id)["audit_record"] if "subject.erased" in row)

    shown = orjson.loads(record)
    assert shown["actor_kind"] == "api_key"
    assert NAMED.search(record) is None
