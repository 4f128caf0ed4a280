"""The tenant's model endpoint in the console: managers set, change and remove it; its key is unread. Rows: D10, T3."""

import pytest
from pytest_django.fixtures import Settings

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Upstream
from tenants.services.audit import COMMAND_LINE
from tenants.services.upstreams.secret_encryption import unseal_key
from tenants.services.upstreams.upstreams import set_upstream
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

LIST = "/console/tenants/upstream/"
ADD = f"{LIST}add/"
KEY = "sk-0123456789abcdef-LAST"
FORM = {"base_url": "https://api.openai.com/v1", "api_key": KEY, "reason": "pilot 试点"}


def test_a_manager_sets_it_with_a_reason_and_never_sees_its_key(world: World, staff: Staff) -> None:
    assert staff.mia.post(ADD, {**FORM, "reason": ""}).status_code == 200  # asked again
    assert staff.mia.post(ADD, FORM).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        row = Upstream.objects.get()
        assert unseal_key(bytes(row.sealed_key)) == KEY
        [record] = AuditRecord.objects.filter(object_kind="upstream")
        assert (record.action, record.reason, record.actor_kind) == ("upstream.set", "pilot 试点", "staff")
    change = f"{LIST}{row.pk}/change/"
    for page in (staff.mia.get(LIST), staff.mia.get(change), staff.mia.get(ADD, follow=True)):
        text = page.content.decode()
        assert "https://api.openai.com/v1" in text
        assert "…LAST" in text
        assert KEY not in text
    trail = staff.mia.get("/console/tenants/auditrecord/").content.decode()
    assert "set the upstream" in trail


def test_a_change_asks_for_the_key_again_and_a_removal_for_a_reason(world: World, staff: Staff) -> None:
    staff.mia.post(ADD, FORM)
    with tenant_tx(world.acme.tenant.id):
        page = f"{LIST}{Upstream.objects.get().pk}/"
    assert (
        staff.mia.post(f"{page}change/", {**FORM, "base_url": "https://models.example", "api_key": ""}).status_code
        == 302
    )
    with tenant_tx(world.acme.tenant.id):
        row = Upstream.objects.get()
        assert (row.base_url, unseal_key(bytes(row.sealed_key))) == ("https://models.example", "")
    staff.mia.post(f"{page}delete/", {"post": "yes"})
    with tenant_tx(world.acme.tenant.id):
        assert Upstream.objects.exists(), "a removal needs a reason"
    assert staff.mia.post(f"{page}delete/", {"post": "yes", "reason": "over"}).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        assert not Upstream.objects.exists()
        assert AuditRecord.objects.get(action="upstream.removed").reason == "over"


@pytest.mark.parametrize(
    ("given", "words", "chinese"),
    [
        ({"base_url": "http://api.openai.com/v1"}, "must begin with https://", "必须以 https:// 开头"),
        ({"base_url": "https://10.0.0.1/v1"}, "must not lead into a private network", "内部网络"),
        ({"base_url": "ftp://x"}, "Enter an address such as", "请输入"),
        ({"api_key": "with blank"}, "printable ASCII characters only", "ASCII"),
    ],
)
def test_faults_are_told_in_the_reader_s_language(
    world: World, staff: Staff, given: dict[str, str], words: str, chinese: str
) -> None:
    assert words in staff.mia.post(ADD, FORM | given).content.decode()
    assert chinese in staff.mia.post(ADD, FORM | given, headers={"accept-language": "zh-hans"}).content.decode()
    with tenant_tx(world.acme.tenant.id):
        assert not Upstream.objects.exists()


def test_without_a_secret_of_the_operator_nothing_is_saved(world: World, staff: Staff, settings: Settings) -> None:
    settings.UPSTREAM_KEYS = []
    assert "UPSTREAM_KEYS" in staff.mia.post(ADD, FORM).content.decode()


def test_it_is_the_managers_and_of_their_own_tenant(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        row = set_upstream(FORM["base_url"], KEY, by=COMMAND_LINE)
    for client in (staff.vic, staff.sam):
        for page in (LIST, ADD, f"{LIST}{row.pk}/change/", f"{LIST}{row.pk}/delete/"):
            assert client.get(page).status_code == 403
            assert client.post(page, FORM).status_code == 403
    assert staff.gus.get(f"{LIST}{row.pk}/change/").status_code in (403, 404)
