"""The directory of tenants: the operator creates them, and renames the current one."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.base_screens import OperatorAdmin
from memory_platform.console.shared.custom_pages import render_console_page, require_permission
from memory_platform.console.shared.tenant_access import TENANT_SESSION_KEY, current_desk, make_actor, mark_scopeless
from memory_platform.console.shared.tenant_switch_guard import mark_tenantless_form
from tenants.models import Tenant
from tenants.services.audit import record_audit
from tenants.services.tenants import change_tenant, create_tenant

NO_DELETION_TEXT = gettext_lazy("Tenants cannot be deleted here yet.")


class CreateTenantForm(forms.ModelForm[Tenant]):
    """Slug, name and locale of a new tenant; the slug never changes."""

    reason = ReasonField(required=False)

    class Meta:
        model = Tenant
        fields = ("slug", "name", "locale")


class ChangeTenantForm(forms.ModelForm[Tenant]):
    """A tenant's new name and locale, and a reason."""

    reason = ReasonField()

    class Meta:
        model = Tenant
        fields = ("name", "locale")


@admin.register(Tenant)
class TenantScreen(OperatorAdmin):
    """The directory, for the operator. A tenant can be changed only while working in it."""

    form = ChangeTenantForm
    list_display = ("slug", "name", "locale", "policy_version", "created_at")
    search_fields = ("slug", "name")
    ordering = ("slug",)
    readonly_fields = ("slug",)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = [name for name in self.get_fields(request, obj) if name != "slug"]
        return [(None, {"fields": ["slug", *fields], "description": NO_DELETION_TEXT})]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        desk = current_desk(request)
        return super().has_change_permission(request, obj) and (
            obj is None or (desk is not None and desk.tenant == obj)
        )

    @mark_tenantless_form
    @mark_scopeless
    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Create a tenant and switch to it. Runs without a scope: the new tenant is created within its own."""
        require_permission(self.has_add_permission, request)
        form = CreateTenantForm(request.POST or None)
        tenant = _create_tenant(request, form) if form.is_valid() else None
        if tenant is None:
            context: dict[str, Any] = {"form": form, "opts": self.opts, "undeleted": NO_DELETION_TEXT}
            return render_console_page(request, "console/tenants/new_tenant.html", _("New tenant"), **context)
        request.session[TENANT_SESSION_KEY] = str(tenant.id)
        text = _("The tenant %(name)s was created, and you work in it now. Next, add an API key and invite a manager.")
        self.message_user(request, text % {"name": tenant.name}, messages.SUCCESS)
        return redirect("admin:index")

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        change_tenant(obj, name=form.cleaned_data["name"], locale=form.cleaned_data["locale"])

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        record_audit(
            make_actor(request),
            "tenant.changed",
            object_kind="tenant",
            object_id=str(obj.pk),
            reason=read_reason(request),
        )


def _create_tenant(request: HttpRequest, form: CreateTenantForm) -> Tenant | None:
    """Return the new tenant. If its slug was taken meanwhile, put the error on the form and return None."""
    given = {name: form.cleaned_data[name] for name in form.Meta.fields}
    try:
        return create_tenant(**given, by=make_actor(request), reason=read_reason(request))
    except ValidationError as fault:
        form.add_error(None, fault.messages)
        return None
