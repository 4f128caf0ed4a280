"""The audit trail names members, keys and experiments, not their ids. Rows: T7, D2, T3."""

from django.contrib.auth.models import User

from memory_platform.kernel.ids import new_id
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, ApiKey, Member, Role
from tenants.policies.arms import Arm
from tenants.services.audit import COMMAND_LINE, Actor, record_audit
from tenants.services.experiments import create_experiment
from tenants.services.keys import revoke_key
from tenants.services.tenants import remove_member
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, make_user
from tests.snapshots.policies.test_effective_policies import make

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


def test_keys_erasures_refused_pages_and_invitations_are_told_in_words(world: World, staff: Staff) -> None:
    mia, invitation = User.objects.get(username="mia"), new_id()
    with tenant_tx(world.acme.tenant.id):
        ApiKey.objects.update(name="demo")
        by_key = Actor(ActorKind.API_KEY, ApiKey.objects.get().key_id)
        by_staff = Actor(ActorKind.STAFF, str(mia.pk))
        record_audit(by_key, "memory.erased", object_kind="erasure", object_id=str(new_id()), reason="asked")
        record_audit(by_staff, "console.page", object_kind="snapshots_webhook_changelist")
        reason = f"viewer: invitation {invitation}"
        record_audit(by_staff, "member.set", object_kind="member", object_id=str(mia.pk), reason=reason)
    page = staff.mia.get(LIST).content.decode()
    for words in (
        "key demo",
        "forgot a memory for good",
        "certificate",
        "asked for a page · webhooks",
        "by invitation",
    ):
        assert words in page, words
    assert str(invitation) not in page
    chinese = {"Accept-Language": "zh-hans"}
    with tenant_tx(world.acme.tenant.id):
        member = Member.objects.get(user=mia)
    for address in (LIST, f"/console/tenants/member/{member.pk}/history/"):
        page = staff.mia.get(address, headers=chinese).content.decode()
        assert "</a> · 查看者" in page and "查看者：" not in page and "通过邀请" in page, address
    assert f">{by_key.id}<" not in page


def test_another_tenants_names_are_not_told(world: World, staff: Staff) -> None:
    with tenant_tx(world.globex.tenant.id):
        ApiKey.objects.update(name="globex key")
        key_id = ApiKey.objects.get().key_id
    assert "globex key" not in staff.mia.get(LIST, {"q": key_id}).content.decode()
    assert staff.gus.get(LIST).status_code == 403
