"""The playground has a page of its own where one chooses whom to ask. Rows: D2, T3, T7."""

import re

import pytest

from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.snapshots.held import know

PAGE = "/console/playground/"


def playground_of(subject: Subject) -> str:
    return f"/console/snapshots/receipt/playground/{subject.pk}/"


def test_a_person_is_found_by_name_and_an_exact_id_leads_on(world: World, staff: Staff) -> None:
    know(world.acme, name="Ada Lovelace")
    page = staff.sam.get(PAGE, {"q": "lovelace"}).content.decode()
    assert f'href="{playground_of(world.acme.subject)}"' in page
    assert staff.sam.get(PAGE, {"q": " ada "})["Location"] == playground_of(world.acme.subject)


def test_who_was_looked_at_lately_is_offered(world: World, staff: Staff) -> None:
    address = playground_of(world.acme.subject)
    assert address not in staff.sam.get(PAGE).content.decode()
    staff.sam.get(f"/console/profiles/subject/{world.acme.subject.pk}/change/")
    assert address in staff.sam.get(PAGE).content.decode()
    assert address not in staff.mia.get(PAGE).content.decode()


def test_the_box_leads_back_to_this_page_and_has_the_focus(staff: Staff) -> None:
    page = staff.sam.get(PAGE).content.decode()
    assert re.findall(r'<form class="find-box"[^>]*action="([^"]+)"', page) == [PAGE]
    assert page.count("autofocus") == 1


def test_another_tenant_s_person_is_like_one_that_nobody_has(world: World, staff: Staff) -> None:
    for query in ("ada", str(world.acme.subject.pk)):
        theirs = staff.gus.get(PAGE, {"q": query})
        nobody = staff.gus.get(PAGE, {"q": query.replace("a", "b") if query == "ada" else str(new_id())})
        assert theirs.status_code == nobody.status_code == 200
        assert "Nobody in this tenant matches these words." in theirs.content.decode()
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.filter(external_id="ada").exists()


@pytest.mark.parametrize("query", ["\x00", "%", "<script>alert(1)</script>", "x" * 500])
def test_odd_words_find_nobody_and_do_nothing(staff: Staff, query: str) -> None:
    answer = staff.sam.get(PAGE, {"q": query})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.content.decode()


def test_it_is_for_support_and_needs_an_operator_s_session(world: World, staff: Staff) -> None:
    assert staff.vic.get(PAGE).status_code == 403
    assert staff.sam.post(PAGE).status_code == 405
    otto = log_in("otto")
    otto.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert otto.get(PAGE)["Location"].startswith("/console/tenants/supportsession/start/")


def test_it_is_on_record_who_looked_and_not_for_which_words(world: World, staff: Staff) -> None:
    staff.sam.get(PAGE)
    staff.sam.get(PAGE, {"q": "lovelace"})
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(action__in=("playground.opened", "subject.searched")).order_by("at")
        assert list(records.values_list("action", "object_id", "reason")) == [
            ("playground.opened", "", ""),
            ("subject.searched", "", ""),
        ]
