"""Lists and pages asked for nonsense never fail. Rows: D2, T1."""

import pytest
from django.contrib.admin import site

from snapshots.models import Conversation, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in_staff
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_safety import address

NONSENSE = (
    *("subject=nobody", "subject=", "conversation=%00", "memory=1", "standing=x", "standing=%00", "kind__exact=%00"),
    *("q=%00", "q=%ED%A0%80", f"q={'x' * 6000}", "q='%22%25_%5C", "external_id=%00", "text__regex=(", "id__exact=%00"),
    *(
        "said_at__year=0",
        "said_at__year=99999",
        "said_at__day=99",
        f"said_at__year={'9' * 30}",
        "said_at__gte=x",
        "said_at__gte=%00",
    ),
    *(f"said_at__year={'9' * 30}", f"said_at__year=2026&said_at__month={'9' * 30}"),
    *("o=x", "o=9.-9.0", "p=x", "p=-1", f"p={'9' * 30}", "all=%00", "_popup=%00", "_to_field=nope", "e=1"),
)


@pytest.fixture(scope="module")
def staff(shared_world: World) -> Staff:
    """People of a tenant with a row of each kind; the operator works in the other one. These tests only look."""
    with tenant_tx(shared_world.acme.tenant.id):
        make_one_of_each("peanuts")
    staff = log_in_staff(shared_world)
    staff.olga.post("/console/switch/", {"tenant": str(shared_world.globex.tenant.id)})
    return staff


@pytest.mark.parametrize("wrong", NONSENSE)
def test_a_list_asked_for_nonsense_never_fails(staff: Staff, wrong: str) -> None:
    for model in (Snapshot, Conversation, AuditRecord):
        assert staff.mia.get(address(model, f"?{wrong}"), follow=True).status_code in {200, 400}, model


@pytest.mark.parametrize("wrong", ["regex=%00", "regex=(", "startswith=a%00b", "exact=%00", "isnull=%00"])
def test_no_list_passes_on_what_postgres_cannot_compare(staff: Staff, wrong: str) -> None:
    for model in site._registry:
        for field in {field.name for field in model._meta.concrete_fields} & {"name", "username", "job", "slug"}:
            answer = staff.olga.get(address(model, f"?{field}__{wrong}"), follow=True)
            assert answer.status_code in {200, 400}, (model, field)


@pytest.mark.parametrize("key", ["%00", "nobody", "x" * 3000, "..", "%ED%A0%80", "1'--"])
def test_a_page_asked_for_nonsense_is_not_found(staff: Staff, key: str) -> None:
    for page in ("change/", "history/", "delete/"):
        assert staff.mia.get(address(Snapshot, f"{key}/{page}")).status_code in {403, 404}
