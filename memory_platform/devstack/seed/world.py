"""Make the demo world through the same verbs that products and staff use. Safe to repeat."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from django.contrib.auth.models import User

from memory_platform.devstack.private_files import DemoAccess, read_demo_access
from memory_platform.devstack.seed.demo_people import STAFF, WORLD, SeedTalk, SeedTenant, load_talks
from memory_platform.devstack.seed.tell_talks import compute_talk_start, tell_talk
from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.indicator_roll_up import roll_up_indicators
from snapshots.queue.metrics import roll_up_waits
from tenants.errors import InvalidKey, TenantUnknown
from tenants.isolation import tenant_tx
from tenants.models import Role, Scope, Tenant, UsageDay, UsageRequests
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, create_key
from tenants.services.tenants import create_tenant, set_member
from tenants.services.usage.ledger_entries import roll_up_usage

OPERATOR = "operator"
PASSWORD_BYTES = 9
DEMO_EPOCH = "demo"


def seed_world(data_dir: Path) -> DemoAccess:
    """Create missing tenants, staff, keys and conversations; save the logins and keys in ``data_dir``.

    Working keys and passwords are kept. The talks end today and their days are rolled up, so that the dashboard shows
    two weeks before beat's first hour is over. Its waits are those of this run.
    """
    known = read_demo_access(data_dir)
    tenants = {plan.slug: _ensure_tenant(plan) for plan in WORLD}
    logins = {name: _ensure_staff(name, known, operator=name == OPERATOR) for name in (OPERATOR, *STAFF)}
    # Managers first: a tenant whose last manager would be demoted refuses.
    for name, staff in sorted(STAFF.items(), key=lambda item: item[1].role != Role.MANAGER):
        with tenant_tx(tenants[staff.tenant].id):
            set_member(User.objects.get(username=name).pk, Role(staff.role), by=COMMAND_LINE)
    keys = {slug: _ensure_key(tenant, known) for slug, tenant in tenants.items()}
    access = DemoAccess(logins=logins, keys=keys)
    access.save(data_dir)
    for plan in WORLD:
        _tell_talks(tenants[plan.slug].id, load_talks(plan))
    return access


def _ensure_tenant(plan: SeedTenant) -> Tenant:
    try:
        return tenant_by_slug(plan.slug)
    except TenantUnknown:
        return create_tenant(slug=plan.slug, name=plan.name, by=COMMAND_LINE)


def _ensure_staff(name: str, access: DemoAccess | None, *, operator: bool) -> str:
    """Return the password of a staff user, who is created if missing; the operator may enter every tenant."""
    user, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True, "is_superuser": operator})
    password = access.logins.get(name, "") if access else ""
    if not password or not user.check_password(password):
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        user.set_password(password)
        user.save(update_fields=["password"])
    return password


def _ensure_key(tenant: Tenant, access: DemoAccess | None) -> str:
    """Return a key of the tenant with every scope: the known one while it works, else a new one."""
    token = access.keys.get(tenant.slug, "") if access else ""
    try:
        if authenticate_key(token).tenant_id == tenant.id:
            return token
    except InvalidKey:
        pass
    with tenant_tx(tenant.id):
        return create_key(name="demo", scopes=Scope.values, by=COMMAND_LINE).token


def _tell_talks(tenant_id: UUID, talks: Sequence[SeedTalk]) -> None:
    """Have the talks that are missing, and roll up their days, as jobs do within the hour."""
    now = utc_now()
    made = [talk for talk in talks if tell_talk(tenant_id, talk, compute_talk_start(talk, now))]
    days = {compute_talk_start(talk, now).date() for talk in made if talk.answered}
    for day in sorted(days):
        roll_up_indicators(tenant_id, day)
    if days:
        roll_up_waits(tenant_id, since=min(days))
    if made:
        roll_up_usage(tenant_id)
        _count_requests(tenant_id)


def _count_requests(tenant_id: UUID) -> None:
    """Count a request for each message and each context: the talks are told without HTTP, and a product's would be."""
    with tenant_tx(tenant_id):
        for used in UsageDay.objects.filter(requests=0):
            used.requests = used.messages + used.contexts
            used.save(update_fields=["requests"])
            UsageRequests.objects.get_or_create(day=used.day, epoch=DEMO_EPOCH, defaults={"requests": used.requests})
