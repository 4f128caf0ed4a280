"""Webhooks and deliveries in words: their state, tries, answers, and the next step."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.db.models import Q
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.shared.headers.relative_times import format_duration, render_time_ago
from memory_platform.console.shared.status_badges import BAD, GOOD, WARNING, StatusBadge
from memory_platform.console.shared.value_rendering import build_change_address
from snapshots.models import DeliveryState, OffReason, Webhook, WebhookDelivery, WebhookEvent
from snapshots.webhooks.config import WEBHOOKS
from snapshots.webhooks.deliveries import name_person

EVENT_LABELS = dict(WebhookEvent.choices)
MAX_LATEST = 10
STATE_BADGES = {
    DeliveryState.PENDING: StatusBadge(gettext_lazy("waiting"), WARNING),
    DeliveryState.DELIVERED: StatusBadge(gettext_lazy("delivered"), GOOD),
    DeliveryState.DEAD: StatusBadge(gettext_lazy("given up"), BAD),
}
# Why a try failed, by the code that the sender notes.
FAULT_SENTENCES = {
    "connection_failed": gettext_lazy(
        "no connection: the name of the host is unknown, nothing listens there, or its certificate is not valid"
    ),
    "timeout": gettext_lazy("no answer within 10 seconds"),
    "private_address": gettext_lazy("not sent: the host has a private address"),
    "secret_unreadable": gettext_lazy("not sent: the secret cannot be decrypted; rotate it"),
    "lease_expired": gettext_lazy("the worker stopped or took too long"),
}


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """One delivery in the table of its webhook's page. ``ago``: when it happened, as HTML."""

    address: str
    event: str
    person: str
    badge: StatusBadge
    tries: str
    answer: str
    ago: str


def describe_answer(delivery: WebhookDelivery) -> str:
    """Return the result of the last try in words; "" before the first."""
    return _describe_outcome(delivery.last_status, delivery.error_code)


@dataclass(frozen=True, slots=True)
class TryLine:
    """One try in the table of its delivery's page. ``words``: the beginning of the receiver's answer."""

    at: datetime
    took: str
    answer: str
    words: str
    is_failure: bool


def list_tries(delivery: WebhookDelivery) -> Sequence[TryLine]:
    """Return the tries that are kept, newest first."""
    return [
        TryLine(
            datetime.fromisoformat(one["at"]),
            f"{one['ms']:,} ms",
            _describe_outcome(one["status"], one["error"]),
            one["answer"],
            bool(one["error"]),
        )
        for one in reversed(delivery.tries)
    ]


def _describe_outcome(status: int | None, code: str) -> str:
    if status is None:
        return str(FAULT_SENTENCES.get(code, code))
    named = _name_status(status)
    if code == "redirected":
        return _("%(status)s: a redirect, which is not followed") % {"status": named}
    return _("%(status)s: refused") % {"status": named} if code == "refused" else named


def describe_tries(delivery: WebhookDelivery) -> str:
    """Return for example "2 of 8"."""
    return _("%(made)s of %(most)s") % {"made": delivery.attempts, "most": len(WEBHOOKS.waits) + 1}


def describe_next_try(delivery: WebhookDelivery) -> str:
    """Return when a waiting delivery is tried; "" for one that has ended."""
    if delivery.state != DeliveryState.PENDING:
        return ""
    if not delivery.webhook.is_on:
        return _("once the webhook is switched on")
    now = timezone.now()
    due = max(delivery.due_at, delivery.webhook.paused_until or delivery.due_at)
    if due <= now:
        return _("within seconds")
    return _("in %(time)s, at %(at)s") % {"time": format_duration((due - now).total_seconds()), "at": f"{due:%H:%M:%S}"}


def describe_webhook(webhook: Webhook) -> str:
    """Return how a webhook goes, and why, in a sentence as plain text. At most three queries."""
    told = WebhookDelivery.objects.filter(webhook=webhook)
    failed = told.exclude(error_code="").order_by("-created_at", "-id").first()
    why = describe_answer(failed) if failed else ""
    if webhook.off_reason == OffReason.ASKED:
        return _("Somebody switched it off. It is sent nothing.")
    if webhook.off_reason:
        ending = _("It was switched off because %(reason)s.") % {"reason": OffReason(webhook.off_reason).label}
        return " ".join((ending, _("Last answer: %(why)s.") % {"why": why})) if why else ending
    if webhook.failing_since:
        since = f"{webhook.failing_since:%Y-%m-%d %H:%M}"
        begun = _("It fails since %(since)s.") % {"since": since}
        last = _("Last answer: %(why)s.") % {"why": why} if why else ""
        days = WEBHOOKS.off_after.days
        ends = ngettext(
            "After %(count)d day without a success it is switched off.",
            "After %(count)d days without a success it is switched off.",
            days,
        )
        return " ".join(part for part in (begun, last, ends % {"count": days}) if part)
    if told.exists():
        return _("It works: the last message was accepted, or is on its way.")
    return _("It was not told anything yet. Send a test to see whether it answers.")


def list_failing_webhooks() -> Sequence[tuple[str, str]]:
    """Return the page and name of the webhooks of the open tenant that fail, or were switched off because they did. One
    query: a tenant has few webhooks."""
    failing = Webhook.objects.filter(
        Q(failing_since__isnull=False) | Q(off_reason__in=(OffReason.FAILING, OffReason.GONE))
    )
    rows = failing.exclude(off_reason=OffReason.ASKED).order_by("created_at", "id")
    return [(build_change_address(Webhook, row.pk), row.name or row.url) for row in rows]


def list_latest_deliveries(webhook: Webhook) -> Sequence[DeliveryLine]:
    """Return the newest deliveries of a webhook, newest first. One query."""
    rows = WebhookDelivery.objects.filter(webhook=webhook).select_related("subject", "webhook")
    return [
        DeliveryLine(
            build_change_address(WebhookDelivery, row.pk),
            capfirst(str(EVENT_LABELS.get(row.event, row.event))),
            name_person(row) or "",
            STATE_BADGES[DeliveryState(row.state)],
            describe_tries(row),
            describe_answer(row),
            render_time_ago(row.created_at),
        )
        for row in rows.order_by("-created_at", "-id")[:MAX_LATEST]
    ]


def _name_status(status: int) -> str:
    """Return for example "HTTP 500 Internal Server Error"."""
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"
