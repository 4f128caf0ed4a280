"""Make the demo world through the same verbs that products and staff use. Safe to repeat."""

import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.auth.models import User

from memory_platform.devstack.seed.answers import record_demo_answer, roll_up_days, run_waiting_work
from memory_platform.devstack.seed.data import STAFF, WORLD, SeedSubject, SeedTalk, SeedTenant
from memory_platform.devstack.seed.demo_access import DemoAccess, demo_access
from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from tenants.errors import InvalidKey, TenantUnknown
from tenants.isolation import tenant_tx
from tenants.models import Role, Scope, Tenant
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, create_key
from tenants.services.tenants import create_tenant, set_member

OPERATOR = "operator"
PASSWORD_BYTES = 9
DAYS_BETWEEN_TALKS = 3
SECONDS_BETWEEN_TURNS = 20


def seed_world(data_dir: Path) -> DemoAccess:
    """Create missing tenants, staff, keys and conversations; save the logins and keys in ``data_dir``.

    Working keys and passwords are kept. Waiting work is done at once, and the days are rolled up, so that the dashboard
    shows figures before beat's first hour is over.
    """
    known = demo_access(data_dir)
    tenants = {plan.slug: _tenant(plan) for plan in WORLD}
    logins = {name: _staff(name, known, operator=name == OPERATOR) for name in (OPERATOR, *STAFF)}
    for name, staff in STAFF.items():
        with tenant_tx(tenants[staff.tenant].id):
            set_member(User.objects.get(username=name).pk, Role(staff.role), by=COMMAND_LINE)
    keys = {slug: _key(tenant, known) for slug, tenant in tenants.items()}
    access = DemoAccess(logins=logins, keys=keys)
    access.save(data_dir)
    for plan in WORLD:
        tenant = tenants[plan.slug]
        for subject in plan.subjects:
            _talks(tenant, subject)
        run_waiting_work(tenant.id)
        for subject in plan.subjects:
            for answer in subject.answers:
                record_demo_answer(tenant.id, subject.subject_id, answer)
        run_waiting_work(tenant.id)
        roll_up_days(tenant.id)
    return access


def _tenant(plan: SeedTenant) -> Tenant:
    try:
        return tenant_by_slug(plan.slug)
    except TenantUnknown:
        return create_tenant(slug=plan.slug, name=plan.name, by=COMMAND_LINE)


def _staff(name: str, known: DemoAccess | None, *, operator: bool) -> str:
    """Return the password of a staff user, who is created if missing; the operator may enter every tenant."""
    user, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True, "is_superuser": operator})
    password = known.logins.get(name, "") if known else ""
    if not password or not user.check_password(password):
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        user.set_password(password)
        user.save(update_fields=["password"])
    return password


def _key(tenant: Tenant, known: DemoAccess | None) -> str:
    """Return a key of the tenant with every scope: the known one while it works, else a new one."""
    token = known.keys.get(tenant.slug, "") if known else ""
    try:
        if authenticate_key(token).tenant_id == tenant.id:
            return token
    except InvalidKey:
        pass
    with tenant_tx(tenant.id):
        return create_key(name="demo", scopes=Scope.values, by=COMMAND_LINE).token


def _talks(tenant: Tenant, plan: SeedSubject) -> None:
    """Post a subject's conversations, one transaction each; existing messages are left alone."""
    first = utc_now() - timedelta(days=DAYS_BETWEEN_TALKS * len(plan.talks))
    for number, talk in enumerate(plan.talks):
        began = first + timedelta(days=DAYS_BETWEEN_TALKS * number)
        with tenant_tx(tenant.id):
            subject, _ = Subject.objects.get_or_create(external_id=plan.subject_id)
            accept_messages(subject, talk.conversation_id, list(_messages(talk, began)))


def _messages(talk: SeedTalk, began: datetime) -> Iterator[IncomingMessage]:
    for number, (role, words) in enumerate(talk.turns):
        said_at = began + timedelta(seconds=SECONDS_BETWEEN_TURNS * number)
        yield IncomingMessage(role=role, content=words, message_id=f"{talk.conversation_id}-{number}", said_at=said_at)
