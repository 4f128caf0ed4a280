"""A preference, a profile fact or a tag is forgotten with its history. Rows: E8."""

import pytest

from memory_platform.kernel.errors import NotFound
from profiles.models import PROFILE_FIELDS, Candidate, Erasure, Preference, ProfileFact, Subject, Tag
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.erasure.learned.forget_whole_belief import forget_fact, forget_preference, forget_tag
from snapshots.jobs import drain_work_job
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.held import know, label, prefer, say

CANARY = "kestrel4711"


def hits(house: House) -> list[str]:
    return [table for table, rows in rows_of(house.tenant.id).items() if any(CANARY in row for row in rows)]


def proof(house: House) -> Erasure:
    with tenant_tx(house.tenant.id):
        erasure = Erasure.objects.get()
        assert is_genuine(build_certificate(erasure))
        assert erasure.verified == {"rows_left": {}}
        return erasure


def test_a_preference_goes_with_every_value_it_had(world: World) -> None:
    house = world.acme
    for value in ("oolong", "assam", "mate"):
        prefer(house, "drinks", "tea", f"{CANARY} {value}", statement=f"I like {CANARY} {value}")
    prefer(house, "drinks", "coffee", "black")

    with tenant_tx(house.tenant.id):
        forget_preference(house.subject, "drinks", "tea", by=COMMAND_LINE)

    assert hits(house) == []
    assert proof(house).erased["preference"] >= 3
    with tenant_tx(house.tenant.id):
        assert set(Preference.objects.values_list("key", flat=True)) == {"coffee"}


def test_a_fact_and_a_tag_leave_the_search_text_and_no_candidate_tells_them(world: World) -> None:
    house = world.acme
    assert "occupation" in PROFILE_FIELDS
    know(house, occupation=f"{CANARY} breeder")
    label(house, "mews", address=f"{CANARY} lane")
    with tenant_tx(house.tenant.id):
        assert CANARY in Subject.objects.get().search_text
        forget_fact(house.subject, "occupation", is_attribute=False, by=COMMAND_LINE)
        forget_tag(house.subject, Tag.objects.get(), by=COMMAND_LINE)

    assert hits(house) == []
    with tenant_tx(house.tenant.id):
        assert not ProfileFact.objects.exists()
        assert not Tag.objects.exists()
        assert Erasure.objects.filter(state="done").count() == 2


def test_what_was_extracted_is_not_learned_again_from_the_same_words(world: World) -> None:
    house, said = world.acme, "I love pistachio ice cream"
    say(house, said)
    drain_work_job(tenant_id=str(house.tenant.id))
    with tenant_tx(house.tenant.id):
        row = Preference.objects.get()
        forget_preference(house.subject, row.category, row.key, by=COMMAND_LINE)

    say(house, said, conversation="again")
    drain_work_job(tenant_id=str(house.tenant.id))

    with tenant_tx(house.tenant.id):
        assert not Preference.objects.exists()
        assert Candidate.objects.filter(reason="forgotten").exists()


def test_what_is_not_known_cannot_be_forgotten(world: World) -> None:
    with tenant_tx(world.acme.tenant.id), pytest.raises(NotFound):
        forget_preference(world.acme.subject, "drinks", "tea", by=COMMAND_LINE)
