"""Deliveries to webhooks: tries, answers and contents. Managers send it again."""

import json
from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    is_reason_missing,
    read_reason,
    require_reason,
)
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.code_labels import make_code_column
from memory_platform.console.shared.custom_pages import make_console_path, render_confirmation, require_permission
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.status_badges import StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    render_line,
    render_row_link,
    render_text,
)
from memory_platform.console.tenants.webhooks.delivery_texts import (
    EVENT_LABELS,
    STATE_BADGES,
    describe_answer,
    describe_next_try,
    describe_tries,
    list_tries,
)
from snapshots.models import DeliveryState, WebhookDelivery
from snapshots.webhooks.deliveries import DeliveryNotEnded, may_repeat_words, name_person, replay_delivery
from snapshots.webhooks.payloads import build_event, load_held_rows
from tenants.models import Role


class DeliveryStateFilter(ConditionFilter):
    """Filters deliveries by the state that their badge says."""

    title = _("state")
    parameter_name = "state"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {state.value: (badge.label, Q(state=state)) for state, badge in STATE_BADGES.items()}


def get_delivery_badge(delivery: WebhookDelivery) -> StatusBadge:
    return STATE_BADGES[DeliveryState(delivery.state)]


def render_webhook(delivery: WebhookDelivery) -> str:
    return render_row_link(delivery.webhook, delivery.webhook.name or delivery.webhook.url)


def render_person(delivery: WebhookDelivery) -> str:
    return render_line(name_person(delivery) or EMPTY_VALUE)


def render_message(delivery: WebhookDelivery) -> str:
    event = build_event(delivery, load_held_rows([delivery]))
    return render_text(json.dumps(event, ensure_ascii=False, indent=2))


def render_tries(delivery: WebhookDelivery) -> str:
    return format_html('<span class="nowrap">{}</span>', describe_tries(delivery))


def render_answers(delivery: WebhookDelivery) -> str:
    """Return each try that is kept with what came of it, as HTML."""
    return render_to_string(
        "console/tenants/webhook_tries.html",
        {
            "tries": list_tries(delivery),
            "last": describe_answer(delivery) or EMPTY_VALUE,  # of a delivery from before tries were kept
            "without_words": may_repeat_words(delivery),
        },
    )


event_column = make_column("event", lambda event: capfirst(str(EVENT_LABELS.get(event, event))), _("event"))
person_column = make_computed_column("person", render_person, _("person"))
webhook_column = make_computed_column("told", render_webhook, _("webhook"))
state_column = make_computed_column("status", lambda row: render_badge(get_delivery_badge(row)), _("state"))
tries_column = make_computed_column("tries", render_tries, _("tries"), order="attempts")
answer_column = make_computed_column("answer", lambda row: describe_answer(row) or EMPTY_VALUE, _("last answer"))
next_column = make_computed_column("next", lambda row: describe_next_try(row) or None, _("next try"), order="due_at")

next_field = make_computed_column("next_try", lambda row: describe_next_try(row) or EMPTY_VALUE, _("next try"))


kind_column = make_code_column("object_kind", _("object kind"))


@admin.register(WebhookDelivery)
class WebhookDeliveryScreen(TenantAdmin):
    """Deliveries, read-only. A delivery that has ended can be sent once more."""

    view_role = Role.MANAGER
    list_display = (
        "created_at",
        webhook_column,
        event_column,
        person_column,
        state_column,
        tries_column,
        answer_column,
        next_column,
    )
    list_filter = (DeliveryStateFilter, "event")
    list_select_related = ("webhook", "subject")
    search_fields = ("subject__external_id", "id", "event_id", "object_id")
    ordering = ("-created_at", "-id")
    empty_text = _("No webhook was told anything yet.")
    fieldsets = (
        make_fieldset(
            _("What was tried"), tries_column, make_computed_column("answers", render_answers, _("answers")), next_field
        ),
        make_fieldset(
            _("What it says"),
            make_computed_column("message", render_message, _("message, as it would be sent now")),
        ),
        make_folded_fieldset(_("Technical details"), "event_id", kind_column, "object_id", "last_status", "error_code"),
    )
    action_form = ReasonedActionForm
    actions = ("replay",)

    def title_of(self, obj: WebhookDelivery) -> str:
        return capfirst(str(EVENT_LABELS.get(obj.event, obj.event)))

    def get_badge(self, obj: WebhookDelivery) -> StatusBadge:
        return get_delivery_badge(obj)

    def list_facts(self, obj: WebhookDelivery) -> Sequence[Any]:
        person = name_person(obj)
        return (
            render_webhook(obj),
            render_line(person) if person else "",
            make_time_fact(_("happened %s"), obj.created_at),
        )

    def list_acts(self, request: HttpRequest, obj: WebhookDelivery) -> Sequence[HeaderAct]:
        if obj.state == DeliveryState.PENDING or not self.has_manager_permission(request):
            return super().list_acts(request, obj)
        again = HeaderAct(
            _("Send again"), reverse("admin:snapshots_webhookdelivery_again", args=[obj.pk]), is_main=True
        )
        return [again, *super().list_acts(request, obj)]

    def get_urls(self) -> list[URLPattern]:
        again = make_console_path("<path:object_id>/again/", self.send_again_view, "snapshots_webhookdelivery_again")
        return [again, *super().get_urls()]

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        return lookup == "webhook__id__exact" or super().lookup_allowed(lookup, value, request)

    def send_again_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason, then send the delivery once more."""
        require_permission(self.has_manager_permission, request)
        row = self.get_or_404(request, object_id)
        back = build_change_address(WebhookDelivery, row.pk)
        if request.method == "POST" and not is_reason_missing(self, request):
            self._send_again(request, [row])
            return redirect(back)
        what = _("The message is sent within seconds, under the same id and with all its tries.")
        named: dict[str, Any] = {"subtitle": self.title_of(row), "opts": self.opts}
        return render_confirmation(request, _("Send again"), what, button=_("Send again"), back=back, **named)

    @admin.action(description=_("Send again: with all tries, under the same id"), permissions=["manager"])
    @require_reason
    def replay(self, request: HttpRequest, queryset: QuerySet[WebhookDelivery]) -> None:
        self._send_again(request, list(queryset.select_related("webhook")))

    def _send_again(self, request: HttpRequest, rows: Sequence[WebhookDelivery]) -> None:
        """Send those that have ended once more, and say of the others that they are still tried."""
        by, reason = make_actor(request), read_reason(request)
        waiting: list[WebhookDelivery] = []
        for row in rows:
            try:
                replay_delivery(row.webhook_id, row.pk, by=by, reason=reason)
            except DeliveryNotEnded:
                waiting.append(row)
        if done := len(rows) - len(waiting):
            text = ngettext("%(count)d delivery is sent again.", "%(count)d deliveries are sent again.", done)
            self.message_user(request, text % {"count": done}, messages.SUCCESS)
        if waiting:
            text = ngettext(
                "%(count)d delivery still waits and is tried without your help. Next try: %(next)s.",
                "%(count)d deliveries still wait and are tried without your help. Next try: %(next)s.",
                len(waiting),
            )
            first = describe_next_try(min(waiting, key=lambda row: row.due_at)) or gettext("within seconds")
            self.message_user(request, text % {"count": len(waiting), "next": first}, messages.WARNING)
