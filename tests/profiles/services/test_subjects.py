"""Subjects are made once, on first sight. Rows: P1, P2, P8."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from memory_platform.kernel.errors import NotFound
from profiles.models import Subject
from profiles.selectors import current_profile, subject_by_external_id
from profiles.services.profile import FactChange, FactName
from profiles.services.subjects import ensure_subject, put_subject
from profiles.services.value_claims import make_stated_claim
from tenants.isolation import tenant_tx
from tests.conftest import World


def facts(**values: object) -> list[FactChange]:
    return [
        FactChange(FactName.read(path.replace("__", ".")), make_stated_claim(value)) for path, value in values.items()
    ]


def test_a_subject_is_made_on_first_sight_and_found_afterwards(ada: Subject) -> None:
    made = ensure_subject("王小明")
    assert ensure_subject("王小明").id == made.id == subject_by_external_id("王小明").id
    assert made.search_text == "王小明"


def test_an_unknown_subject_is_not_found(ada: Subject) -> None:
    with pytest.raises(NotFound):
        subject_by_external_id("nobody")


def test_two_tenants_may_use_the_same_id_for_different_people(world: World) -> None:
    with tenant_tx(world.globex.tenant.id):
        other = ensure_subject("ada")
    assert other.id != world.acme.subject.id


def test_of_many_makers_at_once_one_makes_and_all_get_the_same_subject(world: World) -> None:
    barrier = Barrier(8)

    def make(_: int) -> str:
        barrier.wait(timeout=30)
        try:
            with tenant_tx(world.acme.tenant.id):
                return f"{ensure_subject('新用户').id} {put_subject('新用户').created}"
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(make, range(8)))) == 1


def test_putting_merges_the_profile_and_replaces_metadata_and_keeps_what_is_not_given(ada: Subject) -> None:
    first = put_subject("ada", changes=facts(name="Ada", attributes__budget=300), metadata={"plan": "pro", "seats": 2})
    assert not first.created and first.subject.metadata == {"plan": "pro", "seats": 2}
    put_subject("ada", changes=facts(occupation="程序员"))
    put_subject("ada", metadata={"plan": "free"})
    subject = subject_by_external_id("ada")
    assert subject.metadata == {"plan": "free"}
    profile = current_profile(subject)
    assert (profile["name"], profile["occupation"], profile["attributes"]) == ("Ada", "程序员", {"budget": 300})
    assert profile["interests"] is None


def test_each_version_grows_with_its_own_part_only(ada: Subject) -> None:
    before = (ada.version, ada.profile_version)
    put_subject("ada", changes=facts(name="Ada"))
    put_subject("ada", metadata={"plan": "pro"})
    put_subject("ada", metadata={"plan": "pro"})
    after = subject_by_external_id("ada")
    assert (after.version - before[0], after.profile_version - before[1]) == (1, 1)


def test_the_search_text_holds_id_and_profile_in_comparable_form(ada: Subject) -> None:
    put_subject("ada", changes=facts(name="Ada LOVELACE", attributes__city="臺北", attributes__pets=["猫", 2, True]))
    assert subject_by_external_id("ada").search_text == "ada ada lovelace 台北 猫 2"
