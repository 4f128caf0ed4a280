"""The audit trail names members, keys and experiments, not their ids. Rows: T7, D2, T3."""

from django.contrib.auth.models import User

from tenants.isolation import tenant_tx
from tenants.models import ApiKey, Role
from tenants.policies.arms import Arm
from tenants.services.audit import COMMAND_LINE
from tenants.services.experiments import create_experiment
from tenants.services.keys import revoke_key
from tenants.services.tenants import remove_member
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, make_user
from tests.snapshots.policies.test_effective import make

LIST = "/console/tenants/auditrecord/"


def test_objects_are_named(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    gone = make_user("gone", tenant=world.acme.tenant, role=Role.VIEWER)
    with tenant_tx(world.acme.tenant.id):
        ApiKey.objects.update(name="<b>demo 密钥</b>")
        revoke_key(ApiKey.objects.get(), by=COMMAND_LINE, reason="leaked")
        create_experiment("更短", [Arm("a", 1, 50), Arm("b", 2, 50)], by=COMMAND_LINE, reason="try")
        remove_member(gone.pk, by=COMMAND_LINE, reason="left")
    page = staff.mia.get(LIST).content.decode()
    rows = page.partition('id="result_list"')[2].partition("</table>")[0]
    for name in ("sam", "gone", "&lt;b&gt;demo 密钥&lt;/b&gt;", "更短"):
        assert f"<bdi>{name}</bdi>" in rows, name
    assert f"<bdi>{User.objects.get(username='sam').pk}</bdi>" not in rows
    assert "<bdi>更短</bdi>" in staff.mia.get(LIST, {"q": "更短"}).content.decode()
    assert "<bdi>更短</bdi>" not in staff.mia.get(LIST, {"q": "demo"}).content.decode()


def test_another_tenants_names_are_not_told(world: World, staff: Staff) -> None:
    with tenant_tx(world.globex.tenant.id):
        ApiKey.objects.update(name="globex key")
        key_id = ApiKey.objects.get().key_id
    assert "globex key" not in staff.mia.get(LIST, {"q": key_id}).content.decode()
    assert staff.gus.get(LIST).status_code == 403
