"""Screens of what a tenant may use (row T6)."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from memory_platform.console.access import actor_of
from memory_platform.console.base import TenantAdmin
from memory_platform.console.display import column
from memory_platform.console.reasons import ReasonField, reason_of
from tenants.models import UsageLimit
from tenants.services.limits import NAMES, REQUESTS, set_limits

key_shown = column("api_key", lambda key: key.key_id if key else _("the whole tenant"), _("for"))


class LimitForm(forms.ModelForm[UsageLimit]):
    """One key or the whole tenant, its limits, and why."""

    reason = ReasonField()

    class Meta:
        model = UsageLimit
        fields = ("api_key", *NAMES)


@admin.register(UsageLimit)
class UsageLimitScreen(TenantAdmin):
    """Limits that differ from the platform's; the operator sets them, whoever works here sees them."""

    form = LimitForm
    personal_data = False
    list_display = (key_shown, *NAMES)
    list_select_related = ("api_key",)
    search_fields = ("api_key__key_id", "api_key__name")
    ordering = ("api_key", "id")

    def title_of(self, obj: UsageLimit) -> str:
        return str(obj.api_key.key_id if obj.api_key else _("the whole tenant"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Whom a row is for stays as it is."""
        return ("api_key",) if obj else ()

    def save_model(self, request: HttpRequest, obj: UsageLimit, form: LimitForm, change: bool) -> None:
        names = REQUESTS if obj.api_key_id else NAMES
        values = {name: form.cleaned_data[name] for name in names}
        obj.pk = set_limits(values, by=actor_of(request), api_key=obj.api_key, reason=reason_of(request)).pk
