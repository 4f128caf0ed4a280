"""The tenant's model endpoint, to which its calls through the OpenAI proxy go on. Its key is never shown again."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import ReasonField, is_reason_missing, read_reason
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import require_permission
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import build_change_address, make_column, render_word
from memory_platform.kernel.errors import FieldFault
from tenants.models import Role, Upstream
from tenants.services.upstreams.allowed_urls import find_base_url_fault
from tenants.services.upstreams.upstreams import find_key_fault, remove_upstream, set_upstream

SEAL_MISSING_TEXT = _(
    "Nothing was saved: keys cannot be stored before the operator of this platform has set UPSTREAM_KEYS."
)
FAULT_TEXTS: dict[tuple[str, str], Any] = {
    ("base_url", "malformed"): _(
        "Enter an address such as https://api.openai.com/v1, without user, query or fragment."
    ),
    ("base_url", "not_https"): _("The address must begin with https://, unless the operator allows its host."),
    ("base_url", "private_address"): _(
        "The address must not lead into a private network, unless the operator allows its host."
    ),
    ("api_key", "malformed"): _("A key has printable ASCII characters only, without blanks."),
}


class UpstreamForm(forms.ModelForm[Upstream]):
    """The address of the endpoint, its key, and a reason. The key is asked for whenever the form is saved: otherwise a
    changed address could send it to somebody else."""

    api_key = forms.CharField(
        label=_("API key"),
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "size": 40}),
        help_text=_("Enter it again for each change. Empty: the endpoint takes no key. It is stored encrypted."),
    )
    reason = ReasonField()

    class Meta:
        model = Upstream
        fields = ("base_url",)
        help_texts = {"base_url": _("The address before /chat/completions, such as https://api.openai.com/v1.")}

    def clean_base_url(self) -> str:
        return refuse_fault(self.cleaned_data["base_url"].strip(), find_base_url_fault)

    def clean_api_key(self) -> str:
        return refuse_fault(self.cleaned_data["api_key"], find_key_fault)

    def clean(self) -> dict[str, Any]:
        if not settings.UPSTREAM_KEYS:
            raise forms.ValidationError(SEAL_MISSING_TEXT)
        return super().clean() or {}


def refuse_fault(value: str, find_fault: Callable[[str], FieldFault | None]) -> str:
    """Return ``value``. Raises ValidationError, in the reader's language, for one that cannot be stored."""
    fault = find_fault(value)
    if fault is not None:
        raise forms.ValidationError(FAULT_TEXTS[fault.field, fault.code])
    return value


key_end_column = make_column(
    "key_end", lambda end: render_word(f"…{end}") if end else "-", _("end of the key"), order="key_end"
)


@admin.register(Upstream)
class UpstreamScreen(TenantAdmin):
    """The one model endpoint of the tenant: managers set, change and remove it, with a reason."""

    form = UpstreamForm
    view_role = add_role = change_role = delete_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    list_display = ("base_url", key_end_column, "updated_at")
    readonly_fields = (key_end_column, "updated_at")
    search_fields = ("base_url",)
    ordering = ("kind", "id")
    empty_text = _(
        "An upstream is the address of your own model, if your product calls it through this platform, which then adds "
        "the memory to each call. None is set, and products that ask for contexts themselves need none."
    )
    add_title, add_button, change_button = _("Set the upstream"), _("Save the upstream"), _("Save the upstream")
    delete_confirmation_template = "console/shared/delete_with_reason.html"

    def title_of(self, obj: Upstream) -> str:
        return obj.base_url

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["base_url", *((key_end_column, "updated_at") if obj else ()), "api_key", "reason"]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form of the endpoint that is there: a tenant has one."""
        require_permission(self.has_add_permission, request)
        row = Upstream.objects.first()
        if row is not None and request.method == "GET":
            return redirect(build_change_address(Upstream, row.pk))
        return super().add_view(request, form_url, extra_context)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require_permission(self.has_delete_permission, request)
        row = self.get_or_404(request, object_id)
        if request.method == "POST" and is_reason_missing(self, request):
            return redirect(request.path)
        what = format_html(
            gettext("Calls through this platform no longer reach {}, and its key is deleted."),
            format_html("<bdi><b>{}</b></bdi>", row.base_url),
        )
        return super().delete_view(request, object_id, {"removed": row.base_url, "what": what, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: Upstream, form: UpstreamForm, change: bool) -> None:
        given = form.cleaned_data
        obj.pk = set_upstream(
            given["base_url"], given["api_key"], by=make_actor(request), reason=read_reason(request)
        ).pk

    def delete_model(self, request: HttpRequest, obj: Upstream) -> None:
        remove_upstream(by=make_actor(request), reason=read_reason(request))
