"""What somebody does who logs in through the provider."""

from typing import Any

import httpx
from django.test import Client

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Member
from tests.conftest import House
from tests.memory_platform.console.log_in.people import LOGIN, is_logged_in, open_browser, read_text
from tests.oidc_server import FakeProvider

GO, BACK = "/console/oidc/login/", "/console/oidc/callback/"
GROUPS = {
    "acme-support": {"acme": "support"},
    "acme-bosses": {"acme": "manager"},
    "both": {"acme": "viewer", "globex": "viewer"},
    "nowhere": {"no-such-tenant": "manager"},
}


def go_and_come_back(client: Client, next_page: str = "") -> Any:
    """Follow the button to the provider and back; return the platform's answer."""
    answer: Any = client.get(GO, {"next": next_page} if next_page else {})
    assert answer.status_code == 302
    sent = httpx.get(answer["Location"]).headers["location"]
    return client.get(sent.removeprefix("http://testserver"))


def log_in_with(provider: FakeProvider, *groups: str, **claims: Any) -> tuple[Client, Any]:
    provider.claims = {**provider.claims, "groups": list(groups), **claims}
    client = open_browser()
    return client, go_and_come_back(client)


def list_roles(house: House) -> dict[str, str]:
    with tenant_tx(house.tenant.id):
        return dict(Member.objects.values_list("user__username", "role"))


def list_audit(house: House) -> list[tuple[str, str, str]]:
    with tenant_tx(house.tenant.id):
        rows = AuditRecord.objects.filter(actor_id="oidc").order_by("at")
        return list(rows.values_list("action", "actor_kind", "reason"))


def read_refusal(client: Client, answer: Any) -> str:
    assert answer["Location"] == LOGIN
    assert not is_logged_in(client)
    return read_text(client.get(LOGIN))
