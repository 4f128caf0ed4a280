"""The operator makes tenants and renames them. Rows: T3, T7, D2."""

from django.contrib.auth.models import User
from django.test import Client

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, open_support_for

NEW = "/console/tenants/tenant/add/"
FORM = {"slug": "initech", "name": "因纳特 Initech", "reason": "contract 17"}


def find_initech() -> Tenant | None:
    return Tenant.objects.filter(slug="initech").first()


def test_the_operator_makes_a_tenant_and_works_in_it(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert f'href="{NEW}"' in staff.olga.get("/console/tenants/tenant/").content.decode()
    assert "cannot be deleted here yet" in staff.olga.get(NEW).content.decode()
    page = staff.olga.post(NEW, FORM, follow=True).content.decode()
    assert "The tenant 因纳特 Initech was created" in page
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
    assert "A language tag" in staff.olga.post(change, rename | {"locale": "中文"}).content.decode()


def test_the_first_tenant_of_a_platform_is_made_in_the_console(database: None) -> None:
    User.objects.create_superuser("olga")
    client = Client()
    client.force_login(User.objects.get(username="olga"))
    assert NEW in client.get("/console/", follow=True).content.decode()
    assert client.get(NEW).status_code == 200
    assert client.post(NEW, FORM)["Location"] == "/console/"
    assert "Initech" in client.get("/console/").content.decode()


def test_what_is_wrong_with_a_new_tenant_is_said_at_its_field(world: World, staff: Staff) -> None:
    for slug, fault in (("acme", "already exists"), ("Bad Slug", "single hyphens"), ("", "required")):
        answer = staff.olga.post(NEW, {"slug": slug, "name": "Again"})
        assert answer.status_code == 200
        assert fault in answer.content.decode()
    assert Tenant.objects.count() == 2


def test_a_double_submit_makes_one_tenant(world: World, staff: Staff) -> None:
    assert [staff.olga.post(NEW, FORM).status_code for _ in range(2)] == [302, 200]
    assert Tenant.objects.filter(slug="initech").count() == 1


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
    assert "cannot be deleted here yet" in staff.olga.get(f"{inside}change/").content.decode()
    assert staff.olga.post(f"{outside}change/", {"name": "x", "reason": "x"}).status_code == 403
    for page in (inside, outside):
        assert staff.olga.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert set(Tenant.objects.values_list("slug", "name")) == {("acme", "Acme"), ("globex", "Globex")}
