"""Screens of the tenant's chat models: which endpoint does what, how much a day may cost, and what was used."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.base import TenantAdmin
from memory_platform.console.shared.reasons import ReasonField
from memory_platform.providers.registry import chat_endpoints
from tenants.models import ModelRoute, ModelUsage, Role

NOBODY = ("", _("no model: rules do it"))


class RouteForm(forms.ModelForm[ModelRoute]):
    """One purpose, the endpoint that does it, the tokens of a day, and why."""

    endpoint = forms.ChoiceField(
        label=_("Endpoint"), required=False, help_text=_("The endpoints are those of the platform's settings.")
    )
    reason = ReasonField()

    class Meta:
        model = ModelRoute
        fields = ("purpose", "endpoint", "daily_tokens")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "endpoint" not in self.fields:
            return  # who may only look gets no form
        names = sorted({*chat_endpoints(), self.instance.endpoint} - {""})
        self.fields["endpoint"].choices = [NOBODY, *((name, name) for name in names)]  # type: ignore[attr-defined]  # a ChoiceField


@admin.register(ModelRoute)
class ModelRouteScreen(TenantAdmin):
    """What this tenant has different from the platform's settings; managers change it, with a reason."""

    form = RouteForm
    add_role = change_role = delete_role = Role.MANAGER
    personal_data = False
    list_display = ("purpose", "endpoint", "daily_tokens")
    search_fields = ("purpose", "endpoint")
    ordering = ("purpose", "id")

    def title_of(self, obj: ModelRoute) -> str:
        return str(obj.get_purpose_display())

    def get_actions(self, request: HttpRequest) -> Any:
        """Leave Django's own bulk removal out: it asks for no reason."""
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}


@admin.register(ModelUsage)
class ModelUsageScreen(TenantAdmin):
    """What models were used for, by the day: written by the calls themselves."""

    personal_data = False
    list_display = ("day", "purpose", "model", "calls", "failures", "input_tokens", "output_tokens", "token_hours")
    list_filter = ("purpose", "day")
    date_hierarchy = "day"
    search_fields = ("model", "purpose")
    ordering = ("-day", "purpose", "model", "id")
