"""Who works in which tenant, and what came of a form."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Member, Role, Tenant
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.conftest import House

SWITCH, START, LOGOUT = "/console/switch/", "/console/", "/console/logout/"
MEMBERS, KEYS, LIMITS = "/console/tenants/member/", "/console/tenants/apikey/", "/console/tenants/usagelimit/"
INVITATIONS = "/console/tenants/invitation/"
REVIEW = "/console/profiles/candidate/review/"


def join_tenant(tenant: Tenant, username: str, role: Role) -> None:
    with tenant_tx(tenant.id):
        set_member(User.objects.get(username=username).pk, role, by=COMMAND_LINE)


def leave_tenant(tenant: Tenant, username: str) -> None:
    with tenant_tx(tenant.id):
        Member.objects.filter(user__username=username).delete()


def switch_tenant(client: Client, house: House) -> None:
    assert client.post(SWITCH, {"tenant": str(house.tenant.id)}).status_code == 302


def read_page_text(answer: Any) -> str:
    """Return what a page says in its middle, without its markup."""
    shown = answer.content.decode().partition('id="content"')[2].partition('id="footer"')[0]
    return " ".join(re.sub(r"<[^>]+>", "", shown).split())


def list_refusals(house: House) -> list[tuple[str, str]]:
    with tenant_tx(house.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, action="console.form").order_by("at")
        return list(refused.values_list("object_kind", "actor_kind"))


def count_tenant_rows(house: House, model: Any, **which: Any) -> int:
    with tenant_tx(house.tenant.id):
        return int(model.objects.filter(**which).count())
