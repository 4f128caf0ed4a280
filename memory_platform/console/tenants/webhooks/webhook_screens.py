"""Webhooks: managers add, change, test, rotate and remove them. The page of one begins with how it goes."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonField,
    is_reason_missing,
    read_reason,
    refuse_action,
)
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import (
    make_console_path,
    render_confirmation,
    render_console_page,
    require_permission,
)
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.status_badges import BAD, GOOD, WARNING, StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    build_list_address,
    make_column,
    render_line,
)
from memory_platform.console.tenants.upstream_screens import FAULT_TEXTS, SEAL_MISSING_TEXT
from memory_platform.console.tenants.webhooks.delivery_texts import (
    EVENT_LABELS,
    describe_webhook,
    list_latest_deliveries,
)
from snapshots.models import OffReason, Webhook, WebhookDelivery
from snapshots.webhooks.deliveries import WebhookOff, add_test
from snapshots.webhooks.webhooks import (
    EVENTS,
    TEXT,
    TooManyWebhooks,
    WebhookDraft,
    WebhookWithSecret,
    change_webhook,
    create_webhook,
    delete_webhook,
    rotate_secret,
)
from tenants.models import Role
from tenants.services.upstreams.allowed_urls import find_url_fault

MALFORMED_TEXT = _("Enter an address such as https://example.com/hooks, without user or fragment.")
TOO_MANY_TEXT = _("Nothing was saved: this tenant has as many webhooks as it may have. Delete one first.")
ROTATE, TEST, SWITCH = "rotate", "test", "switch"


class WebhookForm(forms.ModelForm[Webhook]):
    """Address, events and contents of messages. The secret is made by the platform."""

    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=[(event, EVENT_LABELS[event]) for event in EVENTS],
        widget=forms.CheckboxSelectMultiple,
        initial=list(EVENTS),
    )
    with_text = forms.BooleanField(
        label=_("Include the memory’s text"),
        required=False,
        help_text=_("Messages also carry the text of the memory or summary. Without it they carry ids and kinds only."),
    )
    reason = ReasonField()

    class Meta:
        model = Webhook
        fields = ("url", "name", "events")
        help_texts = {"url": _("Where events are posted to. It needs https:// and a public address.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["with_text"] = TEXT in (self.instance.include or [])

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"].strip()
        fault = find_url_fault(url)
        if fault is not None:
            raise forms.ValidationError(
                FAULT_TEXTS[fault.field, fault.code] if fault.code != "malformed" else MALFORMED_TEXT
            )
        return url

    def clean(self) -> dict[str, Any]:
        if not settings.UPSTREAM_KEYS:
            raise forms.ValidationError(SEAL_MISSING_TEXT)
        return super().clean() or {}


def get_webhook_badge(webhook: Webhook) -> StatusBadge:
    if webhook.off_reason:
        return StatusBadge(
            OffReason(webhook.off_reason).label, WARNING if webhook.off_reason == OffReason.ASKED else BAD
        )
    return StatusBadge(_("failing"), WARNING) if webhook.failing_since else StatusBadge(_("on"), GOOD)


@admin.display(description=_("status"))
def render_webhook_status(webhook: Webhook) -> Any:
    return render_badge(get_webhook_badge(webhook))


def build_deliveries_address(webhook_id: Any) -> str:
    return build_list_address(WebhookDelivery, webhook__id__exact=webhook_id)


events_column = make_column(
    "events", lambda events: render_line(", ".join(str(EVENT_LABELS.get(one, one)) for one in events)), _("events")
)


@admin.register(Webhook)
class WebhookScreen(TenantAdmin):
    """The tenant's webhooks, each with a reason for every change. A secret is shown once."""

    form = WebhookForm
    view_role = add_role = change_role = delete_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    list_display = ("url", "name", events_column, render_webhook_status, "created_at")
    readonly_fields: ClassVar[Any] = ("former_until", "created_at")
    change_form_template = "console/tenants/webhook_page.html"
    change_button = _("Save the webhook")
    search_fields = ("url", "name")
    ordering = ("created_at", "id")
    empty_text = _(
        "A webhook tells your own system at once when a memory is created, replaced or erased: it posts the event to an"
        " address of yours. There is none yet."
    )
    delete_confirmation_template = "console/shared/delete_with_reason.html"

    def title_of(self, obj: Webhook) -> str:
        return obj.name or obj.url

    def get_badge(self, obj: Webhook) -> StatusBadge:
        return get_webhook_badge(obj)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        asked = ["url", "name", "events", "with_text", "reason"]
        return [*asked, *self.readonly_fields] if obj else asked

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the state of the webhook and its last deliveries, before its settings."""
        row = self.get_or_404(request, object_id)
        shown = {
            "state_sentence": describe_webhook(row),
            "latest": list_latest_deliveries(row),
            "all_deliveries": build_deliveries_address(row.pk),
        }
        return super().change_view(request, object_id, form_url, {**shown, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        views: dict[str, Callable[..., Any]] = {
            ROTATE: self.rotate_view,
            TEST: self.test_view,
            SWITCH: self.switch_view,
        }
        return [
            *(
                make_console_path(f"<path:object_id>/{verb}/", view, f"snapshots_webhook_{verb}")
                for verb, view in views.items()
            ),
            *super().get_urls(),
        ]

    def list_acts(self, request: HttpRequest, obj: Webhook) -> Sequence[HeaderAct]:
        if not self.has_manager_permission(request):
            return super().list_acts(request, obj)
        labels = {
            TEST: _("Send a test"),
            SWITCH: _("Switch off") if obj.is_on else _("Switch on"),
            ROTATE: _("Rotate the secret"),
        }
        acts = [
            HeaderAct(label, reverse(f"admin:snapshots_webhook_{verb}", args=[obj.pk]))
            for verb, label in labels.items()
            if obj.is_on or verb != TEST
        ]
        return [*acts, *super().list_acts(request, obj)]

    def rotate_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        what = _("A new secret is made and shown once. For 24 hours messages are signed by the old one as well.")
        asked = self._ask(request, object_id, _("Rotate the secret"), what, is_final=True)
        if asked is not None:
            return asked
        row = self.get_or_404(request, object_id)
        return self._render_secret(request, rotate_secret(row.pk, by=make_actor(request), reason=read_reason(request)))

    def test_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        asked = self._ask(request, object_id, _("Send a test"), _("A test event is sent within seconds."))
        if asked is not None:
            return asked
        row = self.get_or_404(request, object_id)
        try:
            add_test(row.pk, by=make_actor(request), reason=read_reason(request))
        except WebhookOff:
            refuse_action(self, request, _("Nothing was sent: this webhook is off."))
            return redirect(build_change_address(Webhook, row.pk))
        return redirect(build_deliveries_address(row.pk))

    def switch_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row = self.get_or_404(request, object_id)
        title = _("Switch off") if row.is_on else _("Switch on")
        what = (
            _("It is sent nothing, and hears of nothing that happens meanwhile.")
            if row.is_on
            else _("Its failures are forgotten, and what waited is sent.")
        )
        asked = self._ask(request, object_id, title, what)
        if asked is not None:
            return asked
        change_webhook(row.pk, {"enabled": not row.is_on}, by=make_actor(request), reason=read_reason(request))
        return redirect(build_change_address(Webhook, row.pk))

    def _ask(
        self, request: HttpRequest, object_id: str, title: Any, what: Any, *, is_final: bool = False
    ) -> HttpResponse | None:
        """Return the page that asks for a reason, or None once it was given."""
        require_permission(self.has_manager_permission, request)
        row = self.get_or_404(request, object_id)
        if request.method == "POST" and not is_reason_missing(self, request):
            return None
        back = build_change_address(Webhook, row.pk)
        named: dict[str, Any] = {"subtitle": self.title_of(row), "opts": self.opts, "is_final": is_final}
        return render_confirmation(request, title, what, button=title, back=back, **named)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require_permission(self.has_delete_permission, request)
        row = self.get_or_404(request, object_id)
        if request.method == "POST" and is_reason_missing(self, request):
            return redirect(request.path)
        title = gettext("Remove %(name)s") % {"name": self.title_of(row)}
        what = format_html(
            gettext(
                "{} is told nothing more, and its deliveries are deleted. "
                "What was done with it stays in the audit trail."
            ),
            format_html("<bdi><b>{}</b></bdi>", row.url),
        )
        return super().delete_view(request, object_id, {"title": title, "removed": row.url, "what": what})

    def save_model(self, request: HttpRequest, obj: Webhook, form: WebhookForm, change: bool) -> None:
        given = form.cleaned_data
        told: dict[str, Any] = {name: given[name] for name in ("url", "name", "events")}
        told["include"] = [TEXT] if given["with_text"] else []
        by, reason = make_actor(request), read_reason(request)
        if change:
            change_webhook(obj.pk, told, by=by, reason=reason)
            return
        try:
            made = create_webhook(WebhookDraft(**told), by=by, reason=reason)
        except TooManyWebhooks:
            return
        obj.pk = made.webhook.pk
        request.created_webhook = made  # type: ignore[attr-defined]  # read back by response_add

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """Return the page with the secret: no cookie, session or later page ever holds it."""
        made: WebhookWithSecret | None = getattr(request, "created_webhook", None)
        if made is None:
            self.message_user(request, TOO_MANY_TEXT, messages.ERROR)
            return redirect("admin:snapshots_webhook_changelist")
        return self._render_secret(request, made)

    def delete_model(self, request: HttpRequest, obj: Webhook) -> None:
        delete_webhook(obj.pk, by=make_actor(request), reason=read_reason(request))

    def _render_secret(self, request: HttpRequest, made: WebhookWithSecret) -> HttpResponse:
        page = "console/tenants/webhook_secret_once.html"
        return render_console_page(request, page, _("Copy the secret now"), webhook=made.webhook, secret=made.secret)
