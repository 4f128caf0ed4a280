"""Set up, change and remove the webhooks of the open tenant: one verb for the API, the console and other doors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NewType
from uuid import UUID

from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput, NotFound, Refused
from snapshots.models import OffReason, Webhook, WebhookEvent
from snapshots.webhooks.config import WEBHOOKS, WebhookConfig
from snapshots.webhooks.signatures import make_secret
from tenants.isolation import current_tenant_id
from tenants.models import Tenant
from tenants.services.audit import Actor, record_audit
from tenants.services.upstreams.allowed_urls import find_url_fault
from tenants.services.upstreams.secret_encryption import reseal_key, seal_key, unseal_key

# What may be subscribed to: a test is only sent on request.
EVENTS = tuple(event.value for event in WebhookEvent if event != WebhookEvent.TEST)
TEXT = "text"
INCLUDABLE = (TEXT,)
Secret = NewType("Secret", str)


class WebhookUnknown(NotFound):
    """No webhook with this id. HTTP 404."""

    code = "webhook_unknown"

    def __init__(self) -> None:
        super().__init__("No webhook with this id.")


class TooManyWebhooks(Refused):
    """The tenant has as many webhooks as it may have. HTTP 422."""

    code = "too_many_webhooks"

    def __init__(self) -> None:
        super().__init__(f"A tenant may have {WEBHOOKS.per_tenant} webhooks. Delete one that nobody needs any more.")


@dataclass(frozen=True, slots=True)
class WebhookWithSecret:
    """A webhook whose secret was made just now: the only moment in which it can be shown."""

    webhook: Webhook
    secret: Secret


@dataclass(frozen=True, slots=True)
class WebhookDraft:
    """A webhook to be. ``include``: the contents of its messages besides ids, ``text`` or nothing."""

    url: str
    events: Sequence[str] = EVENTS
    include: Sequence[str] = ()
    name: str = ""


def create_webhook(
    draft: WebhookDraft, *, by: Actor, row_id: UUID | None = None, reason: str = "", config: WebhookConfig = WEBHOOKS
) -> WebhookWithSecret:
    """Add a webhook to the open tenant, as ``row_id`` if given. Raises InvalidInput, SealMissing, TooManyWebhooks."""
    _refuse_url_fault(draft.url)
    # Two at once would both find room for one more.
    Tenant.objects.select_for_update(no_key=True).filter(id=current_tenant_id()).first()
    if Webhook.objects.count() >= config.per_tenant:
        raise TooManyWebhooks
    secret = make_secret()
    row = Webhook(
        **({"id": row_id} if row_id else {}),
        url=draft.url,
        name=draft.name,
        events=_order_events(draft.events),
        include=sorted(set(draft.include)),
        sealed_secret=seal_key(secret),
    )
    row.save(force_insert=True)
    _record(by, "webhook.created", row, reason)
    return WebhookWithSecret(load_webhook(row.id), Secret(secret))


def load_webhook(webhook_id: UUID) -> Webhook:
    """Return one webhook of the open tenant. Raises WebhookUnknown."""
    found = Webhook.objects.filter(id=webhook_id).first()
    if found is None:
        raise WebhookUnknown
    return found


def change_webhook(webhook_id: UUID, changes: Mapping[str, Any], *, by: Actor, reason: str = "") -> Webhook:
    """Change some of ``url``, ``name``, ``events``, ``include`` and ``enabled``. Switching it on forgives its failures
    and sends the deliveries that waited. Raises WebhookUnknown, InvalidInput."""
    row = _lock_webhook(webhook_id)
    values: dict[str, Any] = {name: changes[name] for name in ("url", "name") if name in changes}
    if "url" in values:
        _refuse_url_fault(values["url"])
    if "events" in changes:
        values["events"] = _order_events(changes["events"])
    if "include" in changes:
        values["include"] = sorted(set(changes["include"]))
    if changes.get("enabled") is True:
        values |= {"off_reason": "", "failing_since": None, "paused_until": None}
    elif changes.get("enabled") is False and row.is_on:
        values["off_reason"] = OffReason.ASKED
    Webhook.objects.filter(id=row.id).update(**values, updated_at=Now())
    _record(by, "webhook.changed", row, reason)
    return load_webhook(row.id)


def rotate_secret(webhook_id: UUID, *, by: Actor, reason: str = "") -> WebhookWithSecret:
    """Give a webhook a new secret; the old one signs beside it for a day. Raises WebhookUnknown, SealMissing."""
    row, secret = _lock_webhook(webhook_id), make_secret()
    Webhook.objects.filter(id=row.id).update(
        sealed_secret=seal_key(secret),
        sealed_former=bytes(row.sealed_secret),
        former_until=utc_now() + WEBHOOKS.former_secret,
        updated_at=Now(),
    )
    _record(by, "webhook.rotated", row, reason)
    return WebhookWithSecret(load_webhook(row.id), Secret(secret))


def delete_webhook(webhook_id: UUID, *, by: Actor, reason: str = "") -> None:
    """Delete a webhook with its deliveries; those that wait are not sent any more. Raises WebhookUnknown."""
    row = _lock_webhook(webhook_id)
    Webhook.objects.filter(id=row.id).delete()
    _record(by, "webhook.deleted", row, reason)


def list_signers(webhook: Webhook) -> list[str]:
    """Return the secrets that sign now, the newest first. Raises KeyUnreadable."""
    sealed = [webhook.sealed_secret]
    if webhook.sealed_former is not None and webhook.former_until and webhook.former_until > utc_now():
        sealed.append(webhook.sealed_former)
    return [unseal_key(bytes(one)) for one in sealed]


def reseal_webhooks() -> int:
    """Encrypt the secrets of the open tenant's webhooks by the first secret of the environment; return the number of
    webhooks. Raises KeyUnreadable."""
    rows = list(Webhook.objects.select_for_update().order_by("id"))
    for row in rows:
        former = None if row.sealed_former is None else reseal_key(bytes(row.sealed_former))
        Webhook.objects.filter(id=row.id).update(
            sealed_secret=reseal_key(bytes(row.sealed_secret)), sealed_former=former
        )
    return len(rows)


def _lock_webhook(webhook_id: UUID) -> Webhook:
    row = Webhook.objects.select_for_update().filter(id=webhook_id).first()
    if row is None:
        raise WebhookUnknown
    return row


def _order_events(events: Sequence[str]) -> list[str]:
    return [event for event in EVENTS if event in set(events)]


def _refuse_url_fault(url: str) -> None:
    fault = find_url_fault(url)
    if fault is not None:
        raise InvalidInput(faults=[FieldFault("url", fault.code, fault.message)])


def _record(by: Actor, action: str, row: Webhook, reason: str) -> None:
    record_audit(by, action, object_kind="webhook", object_id=str(row.id), reason=reason)
