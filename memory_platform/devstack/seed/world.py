"""Make the demo world through the same verbs that products and staff use. Safe to repeat."""

import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.contrib.auth.models import User

from memory_platform.devstack.private_files import DemoAccess, demo_access
from memory_platform.devstack.seed.data import STAFF, WORLD, SeedAnswer, SeedSubject, SeedTalk, SeedTenant
from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.feedback.outcome import classify_sense_of_part, record_outcome
from snapshots.feedback.tallies.indicators import roll_up_recent_indicators
from snapshots.feedback.values import OutcomePart
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import drain_work_job
from snapshots.models import Conversation
from snapshots.policies.effective import load_effective_policies_in_scope
from snapshots.queue.metrics import roll_up_waits
from tenants.errors import InvalidKey, TenantUnknown
from tenants.isolation import tenant_tx
from tenants.models import Role, Scope, Tenant
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, create_key
from tenants.services.tenants import create_tenant, set_member
from tenants.services.usage.recording import roll_up_usage

OPERATOR = "operator"
PASSWORD_BYTES = 9
DAYS_BETWEEN_TALKS = 3
SECONDS_BETWEEN_TURNS = 20


def run_waiting_work(tenant_id: UUID) -> None:
    """Do the tenant's waiting work here, so that the demo world's memories exist before anybody looks."""
    drain_work_job(tenant_id=str(tenant_id))


def roll_up_days(tenant_id: UUID) -> None:
    """Roll up the tenant's days of quality, latency and usage, as jobs do within the hour."""
    roll_up_recent_indicators(tenant_id)
    roll_up_waits(tenant_id)
    roll_up_usage(tenant_id)


def record_demo_answer(tenant_id: UUID, subject_id: str, plan: SeedAnswer) -> None:
    """Request a context, post the turn and report its outcome; do nothing if the conversation exists."""
    with tenant_tx(tenant_id):
        if Conversation.objects.filter(subject__external_id=subject_id, external_id=plan.conversation_id).exists():
            return
        policies = load_effective_policies_in_scope(tenant_id, subject_id)
    query = ContextCall(ContextRequest(plan.query), policies.version, plan.conversation_id, recall=policies.recall)
    receipt = build_context(tenant_id, subject_id, query, policies.context).receipt
    told = OutcomePart(plan.reply, plan.next)
    sense = classify_sense_of_part(tenant_id, receipt.id, told)
    with tenant_tx(tenant_id):
        subject = Subject.objects.get(external_id=subject_id)
        turns = (("user", plan.query), ("assistant", plan.reply))
        accept_messages(
            subject, plan.conversation_id, [IncomingMessage(role=role, content=said) for role, said in turns]
        )
    with tenant_tx(tenant_id):
        record_outcome(receipt.id, told, sense=sense)
    with tenant_tx(tenant_id):
        accept_messages(subject, plan.conversation_id, [IncomingMessage(role="user", content=plan.next)])


def seed_world(data_dir: Path) -> DemoAccess:
    """Create missing tenants, staff, keys and conversations; save the logins and keys in ``data_dir``.

    Working keys and passwords are kept. Waiting work is done at once, and the days are rolled up, so that the dashboard
    shows figures before beat's first hour is over.
    """
    known = demo_access(data_dir)
    tenants = {plan.slug: _tenant(plan) for plan in WORLD}
    logins = {name: _staff(name, known, operator=name == OPERATOR) for name in (OPERATOR, *STAFF)}
    # Managers first: a tenant whose last manager would be demoted refuses.
    for name, staff in sorted(STAFF.items(), key=lambda item: item[1].role != Role.MANAGER):
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


def _staff(name: str, access: DemoAccess | None, *, operator: bool) -> str:
    """Return the password of a staff user, who is created if missing; the operator may enter every tenant."""
    user, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True, "is_superuser": operator})
    password = access.logins.get(name, "") if access else ""
    if not password or not user.check_password(password):
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        user.set_password(password)
        user.save(update_fields=["password"])
    return password


def _key(tenant: Tenant, access: DemoAccess | None) -> str:
    """Return a key of the tenant with every scope: the known one while it works, else a new one."""
    token = access.keys.get(tenant.slug, "") if access else ""
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
