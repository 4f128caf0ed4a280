"""A change may insist on the version that it was made from. Rows: D1. Matrix: 23."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from memory_platform.api.views.etags import build_etag
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, fields_of, problem_of

pytestmark = pytest.mark.urls("tests.memory_platform.api.probes")
ADA = "/v1/subjects/ada"


def test_the_present_version_passes_and_an_older_one_is_412(acme: Caller, world: World) -> None:
    first = build_etag(world.acme.subject.id, 1)
    second = acme("PATCH", ADA, {}, If_Match=first)["ETag"]
    assert second != first
    assert problem_of(acme("PATCH", ADA, {}, If_Match=first), 412)["code"] == "version_mismatch"
    assert acme("PATCH", ADA, {}, If_Match=f'"other-1", {second}').status_code == 200


def test_a_star_or_no_header_is_no_condition(acme: Caller) -> None:
    assert acme("PATCH", ADA, {}, If_Match="*").status_code == 200
    assert acme("PATCH", ADA, {}).status_code == 200


def test_a_weak_tag_never_matches(acme: Caller, world: World) -> None:
    problem_of(acme("PATCH", ADA, {}, If_Match=f"W/{build_etag(world.acme.subject.id, 1)}"), 412)


@pytest.mark.parametrize("header", ["", "1", '"open', "a, b", '"a" "b"', "**", "é"])
def test_a_malformed_header_is_400_even_for_an_unknown_object(acme: Caller, header: str) -> None:
    assert fields_of(problem_of(acme("PATCH", "/v1/subjects/nobody", {}, If_Match=header), 400)) == {"If-Match"}


def test_an_unknown_object_is_404_whatever_the_version(acme: Caller) -> None:
    problem_of(acme("PATCH", "/v1/subjects/nobody", {}, If_Match='"a-1"'), 404)


def test_of_two_changes_from_the_same_version_one_wins(acme: Caller, world: World) -> None:
    tag, barrier = build_etag(world.acme.subject.id, 1), Barrier(2)

    def change(_: int) -> int:
        barrier.wait(timeout=30)
        try:
            return acme("PATCH", ADA, {}, If_Match=tag).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(change, range(2))) == [200, 412]


def test_tags_of_two_objects_or_parts_differ() -> None:
    one, two = uuid4(), uuid4()
    assert len({build_etag(one, 1), build_etag(two, 1), build_etag(one, 2), build_etag(one, 1, "profile")}) == 4
