"""A POST that is sent twice writes once. Rows: D1. Matrix: 20, 21."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.http import HttpResponse

from memory_platform.kernel.clock import utc_now
from profiles.models import IdempotentReply, Subject
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

pytestmark = pytest.mark.urls("tests.memory_platform.api.probes")
NEW = {"subject_id": "new"}


def make(caller: Caller, body: object = NEW, path: str = "/v1/subjects", key: str = "k-1") -> HttpResponse:
    return caller("POST", path, body, Idempotency_Key=key)


def subjects_of(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return sorted(Subject.objects.values_list("external_id", flat=True))


def test_the_first_answer_is_replayed_byte_for_byte(acme: Caller, world: World) -> None:
    first, second = make(acme), make(acme)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert first["ETag"] == second["ETag"]
    assert not first.has_header("Idempotent-Replayed")
    assert second["Idempotent-Replayed"] == "true"
    assert subjects_of(world.acme) == ["ada", "new"]


def test_the_order_of_keys_does_not_make_another_body(acme: Caller) -> None:
    assert make(acme, b'{"subject_id": "new", "metadata": {"a": 1, "b": 2}}').status_code == 201
    assert make(acme, b'{"metadata": {"b": 2, "a": 1}, "subject_id": "new"}')["Idempotent-Replayed"] == "true"


def test_another_body_under_the_same_key_is_409(acme: Caller, world: World) -> None:
    make(acme)
    assert problem_of(make(acme, {"subject_id": "other"}), 409)["code"] == "idempotency_key_reused"
    assert subjects_of(world.acme) == ["ada", "new"]


def test_the_same_key_elsewhere_is_independent(acme: Caller, globex: Caller, world: World) -> None:
    make(acme)
    assert make(acme, {"subject_id": "other"}, path="/v1/other-subjects").status_code == 201
    answer = make(globex)
    assert answer.status_code == 201
    assert not answer.has_header("Idempotent-Replayed")
    assert subjects_of(world.globex) == ["gil", "new"]


def test_a_refused_write_leaves_no_answer_behind(acme: Caller, world: World) -> None:
    refused = {"subject_id": "new", "metadata": {"refuse": True}}
    for _ in range(2):
        problem_of(make(acme, refused), 422)
    assert subjects_of(world.acme) == ["ada"]
    assert make(acme).status_code == 201


def test_an_answer_is_kept_for_a_day(acme: Caller, world: World) -> None:
    make(acme)
    with tenant_tx(world.acme.tenant.id):
        IdempotentReply.objects.update(created_at=utc_now() - timedelta(hours=24, seconds=1))
    problem_of(make(acme), 409)  # the work is done again, and meets its own subject


def test_an_answer_is_erased_with_its_subject(acme: Caller, world: World) -> None:
    make(acme)
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.filter(external_id="new").delete()
        assert not IdempotentReply.objects.exists()


@pytest.mark.parametrize("key", ["", "x" * 256, "schlüssel", "a\tb"])
def test_a_malformed_key_is_400_and_named(acme: Caller, key: str) -> None:
    assert fields_of(problem_of(make(acme, key=key), 400)) == {"Idempotency-Key"}


def test_fifty_twins_make_one_subject(acme: Caller, world: World) -> None:
    barrier = Barrier(10)

    def one(number: int) -> HttpResponse:
        barrier.wait(timeout=30)
        try:
            return make(acme)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(one, range(50)))
    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {201, 409}
    assert statuses[201] >= 1
    assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
    assert subjects_of(world.acme) == ["ada", "new"]


def test_a_twin_that_still_runs_is_409_with_a_time_to_come_back(acme: Caller, world: World) -> None:
    make(acme)
    with tenant_tx(world.acme.tenant.id), connection.cursor() as cursor:
        Subject.objects.filter(external_id="new").delete()  # holds the row that the next claim meets
        cursor.execute("SELECT 1")
        with ThreadPoolExecutor(1) as thread:
            response = thread.submit(_make_and_close, acme).result(timeout=30)
    assert problem_of(response, 409)["code"] == "idempotency_twin_running"
    assert response["Retry-After"] == "1"


def _make_and_close(acme: Caller) -> HttpResponse:
    try:
        return make(acme)
    finally:
        connection.close()


def test_answers_of_another_key_are_their_own(acme: Caller) -> None:
    first = body_of(make(acme))
    assert body_of(make(acme, {"subject_id": "second"}, key="k-2"))["id"] != first["id"]
