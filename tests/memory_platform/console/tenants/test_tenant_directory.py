"""The operator makes tenants and renames them. Rows: T3, T7, D2."""

import re
from html import unescape

from django.contrib.auth.models import User
from django.test import Client

from memory_platform.kernel.clock import utc_now
from snapshots.models import Message
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, Invitation, Tenant, UsageDay
from tenants.services.invitations import find_offer
from tenants.services.keys import authenticate_key
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, open_support_for
from tests.memory_platform.console.rows import make_one_of_each

NEW = "/console/tenants/tenant/add/"
FORM = {"slug": "initech", "name": "因纳特 Initech", "reason": "contract 17"}


def find_initech() -> Tenant | None:
    return Tenant.objects.filter(slug="initech").first()


def test_the_operator_makes_a_tenant_and_works_in_it(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert f'href="{NEW}"' in staff.olga.get("/console/tenants/tenant/").content.decode()
    page = staff.olga.post(NEW, FORM).content.decode()
    assert "因纳特 Initech is ready" in page
    tenant = find_initech()
    assert tenant is not None
    with tenant_tx(tenant.id):
        record = AuditRecord.objects.get(action="tenant.created")
        assert (record.actor_kind, record.reason) == ("operator", "contract 17")
    open_support_for("olga", tenant)
    assert ">ada<" not in staff.olga.get("/console/profiles/subject/").content.decode()
    change = f"/console/tenants/tenant/{tenant.pk}/change/"
    rename = {"name": "Initrode", "locale": "zh-CN", "reason": "bought"}
    assert staff.olga.post(change, rename).status_code == 302
    renamed = Tenant.objects.get(slug="initech")
    assert (renamed.name, renamed.locale, renamed.policy_epoch) == ("Initrode", "zh-CN", tenant.policy_epoch + 1)
    assert "Select a valid choice" in staff.olga.post(change, rename | {"locale": "中文"}).content.decode()


def test_the_first_tenant_of_a_platform_is_made_in_the_console(database: None) -> None:
    User.objects.create_superuser("olga")
    client = Client()
    client.force_login(User.objects.get(username="olga"))
    assert NEW in client.get("/console/", follow=True).content.decode()
    assert client.get(NEW).status_code == 200
    assert "Initech is ready" in client.post(NEW, FORM).content.decode()
    assert "Initech" in client.get("/console/").content.decode()


def test_what_is_wrong_with_a_new_tenant_is_said_at_its_field(world: World, staff: Staff) -> None:
    for slug, fault in (("acme", "already exists"), ("Bad Slug", "single hyphens"), ("", "required")):
        answer = staff.olga.post(NEW, {"slug": slug, "name": "Again"})
        assert answer.status_code == 200
        assert fault in answer.content.decode()
    assert Tenant.objects.count() == 2


def test_a_double_submit_makes_one_tenant(world: World, staff: Staff) -> None:
    assert [staff.olga.post(NEW, FORM).status_code for _ in range(2)] == [200, 200]
    assert Tenant.objects.filter(slug="initech").count() == 1


def test_a_tenant_is_set_up_with_its_key_and_its_manager_s_link(world: World, staff: Staff) -> None:
    answer = staff.olga.post(NEW, {**FORM, "manager": " mona@initech.example\n"})
    page = unescape(answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    tenant = find_initech()
    assert tenant is not None
    (token,) = re.findall(r'value="(mk_live_\w+)"', page)
    caller = authenticate_key(token)
    assert (caller.tenant_id, sorted(caller.scopes)) == (tenant.pk, ["memory:read", "memory:write"])
    assert page.count(f"BASE=http://testserver\nKEY={token}\ncurl -s $BASE/v1/subjects/user_1/") == 2
    (link,) = re.findall(r'data-copy="http://testserver/console/invitation/#([^"]+)"', page)
    offer = find_offer(link)
    assert (offer.tenant_id, offer.role) == (tenant.pk, "manager")
    with tenant_tx(tenant.id):
        assert Invitation.objects.get().invitee == "mona@initech.example"
        actions = set(AuditRecord.objects.values_list("action", flat=True))
        assert actions >= {"tenant.created", "api_key.created", "member.invited"}
    for later in ("/console/", f"/console/tenants/tenant/{tenant.pk}/change/"):
        shown = staff.olga.get(later).content.decode()
        assert token not in shown
        assert link not in shown


def test_the_page_of_a_tenant_has_what_it_has_and_only_from_inside(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        UsageDay.objects.create(day=utc_now().date(), messages=41, contexts=17)
        key = ApiKey.objects.get()
    own, other = (f"/console/tenants/tenant/{house.tenant.pk}/change/" for house in (world.acme, world.globex))
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    page = staff.olga.get(own).content.decode()
    for words in ("mia", "Members: 3", "API keys: 1", "<b>41</b>", "<b>17</b>", "version 1", "Failed items: 0"):
        assert words in page, words
    assert f'href="/console/tenants/apikey/{key.pk}/change/"' in page
    outside = staff.olga.get(other).content.decode()
    assert "gus" not in outside
    assert '<th scope="row">Members</th><td class="number">1</td>' in outside
    assert f'name="tenant" value="{world.globex.tenant.pk}"' in outside
    assert [client.get(own).status_code for client in (staff.mia, staff.gus)] == [403, 403]


def test_the_choice_tells_an_operator_members_and_traffic_and_others_their_role(world: World, staff: Staff) -> None:
    with tenant_tx(world.globex.tenant.id):
        make_one_of_each("花生")
    page = staff.olga.get("/console/switch/").content.decode()
    for words in ("Last message", "none yet", "<time", 'href="/console/operation/"', 'href="/console/models/"'):
        assert words.lower() in page.lower(), words
    assert "花生" not in page
    others = staff.mia.get("/console/switch/").content.decode()
    assert 'href="/console/operation/"' not in others


def test_the_page_of_a_tenant_counts_its_first_call_at_once(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        Message.objects.filter(pk=make_one_of_each("peanuts")[Message].pk).update(accepted_at=utc_now())
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    page = staff.olga.get(f"/console/tenants/tenant/{world.acme.tenant.pk}/change/").content.decode()
    assert "Messages: <b>1</b>" in page, "the days are counted every minute only"


def test_nobody_else_makes_a_tenant_and_the_try_is_recorded(world: World, staff: Staff) -> None:
    for client in (staff.mia, staff.sam, staff.gus):
        assert client.get(NEW).status_code == 403
        assert client.post(NEW, FORM).status_code == 403
    assert Client().post(NEW, FORM).status_code == 302
    assert find_initech() is None
    with tenant_tx(world.acme.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, object_kind="tenants_tenant_add")
        assert refused.count() == 4


def test_a_tenant_is_renamed_from_inside_only_and_never_deleted(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    inside, outside = (f"/console/tenants/tenant/{house.tenant.pk}/" for house in (world.acme, world.globex))
    page = staff.olga.get(f"{inside}change/").content.decode()
    assert page.count('type="submit" value=') == page.count('value="Save the tenant"') == 1, (
        "one button, which is named"
    )
    assert staff.olga.post(f"{outside}change/", {"name": "x", "reason": "x"}).status_code == 403
    for page in (inside, outside):
        assert staff.olga.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert set(Tenant.objects.values_list("slug", "name")) == {("acme", "Acme"), ("globex", "Globex")}
