"""Screens of the tenant's chat models: the endpoint for each purpose, daily limits, and usage."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.providers.registry import chat_endpoints
from tenants.models import ModelRoute, ModelUsage, Role

NO_MODEL_CHOICE = ("", _("no model: rules are used"))


class ModelRouteForm(forms.ModelForm[ModelRoute]):
    """The endpoint and daily tokens for one purpose, and a reason."""

    endpoint = forms.ChoiceField(
        label=_("Endpoint"), required=False, help_text=_("The endpoints are configured in the platform's settings.")
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
        self.fields["endpoint"].choices = [NO_MODEL_CHOICE, *((name, name) for name in names)]  # type: ignore[attr-defined]  # a ChoiceField


@admin.register(ModelRoute)
class ModelRouteScreen(TenantAdmin):
    """The tenant's exceptions from the platform's settings; managers change them, with a reason."""

    form = ModelRouteForm
    add_role = change_role = delete_role = Role.MANAGER
    personal_data = False
    list_display = ("purpose", "endpoint", "daily_tokens")
    search_fields = ("purpose", "endpoint")
    ordering = ("purpose", "id")

    def title_of(self, obj: ModelRoute) -> str:
        return str(obj.get_purpose_display())


@admin.register(ModelUsage)
class ModelUsageScreen(TenantAdmin):
    """Daily usage of models, written by the calls themselves."""

    personal_data = False
    list_display = ("day", "purpose", "model", "calls", "failures", "input_tokens", "output_tokens", "token_hours")
    list_filter = ("purpose", "day")
    date_hierarchy = "day"
    search_fields = ("model", "purpose")
    ordering = ("-day", "purpose", "model", "id")
