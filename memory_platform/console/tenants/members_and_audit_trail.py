"""Screens of the tenant itself: members and audit trail."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    ReasonField,
    is_reason_missing,
    read_reason,
    require_reason,
)
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.rendering import make_column, make_fieldset, render_line
from memory_platform.console.shared.tenant_access import annotate_actor_names, make_actor
from tenants.models import AuditRecord, Member, Role
from tenants.services.audit import record_audit
from tenants.services.tenants import set_member


class MemberForm(forms.ModelForm[Member]):
    """A new member by user name: only the operator sees the list of all accounts."""

    username = forms.CharField(label=_("User name"), max_length=150)
    reason = ReasonField(required=False)

    class Meta:
        model = Member
        fields = ("role",)

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if not User.objects.filter(username=username, is_staff=True, is_active=True).exists():
            raise forms.ValidationError(_("No staff member has this user name. The operator creates accounts."))
        return username


class MemberRoleForm(forms.ModelForm[Member]):
    """A member's role, and the reason for its change."""

    reason = ReasonField()

    class Meta:
        model = Member
        fields = ("role",)


@admin.register(Member)
class MemberScreen(TenantAdmin):
    """Members of the tenant and their roles."""

    add_role = change_role = delete_role = Role.MANAGER
    personal_data = False
    list_display = ("user", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("user",)
    search_fields = ("user__username", "user__email")
    ordering = ("created_at", "id")
    action_form = ReasonedActionForm
    actions = ("remove",)
    delete_confirmation_template = "console/tenants/delete_with_reason.html"

    def title_of(self, obj: Member) -> str:
        return str(obj.user)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Member]) -> Any:
        """Record the user whose membership ends: the member's row is gone afterwards."""
        for member in queryset:
            record_audit(
                make_actor(request),
                "member.removed",
                object_kind="member",
                object_id=str(member.user_id),
                reason=read_reason(request),
            )

    @admin.action(description=_("Remove from this tenant"), permissions=["manager"])
    @require_reason
    def remove(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self.log_deletions(request, queryset)
        self.delete_queryset(request, queryset)
        self.message_user(request, _("Removed. Access ends with the next page they open."), messages.SUCCESS)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "POST" and self.has_delete_permission(request) and is_reason_missing(self, request):
            return redirect(request.path)
        member = self.get_object(request, object_id)
        named = {"removed": self.title_of(member)} if member else {}
        return super().delete_view(request, object_id, {**named, **(extra_context or {})})

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, form=MemberRoleForm if obj else MemberForm, **kwargs)

    def save_model(self, request: HttpRequest, obj: Member, form: Any, change: bool) -> None:
        user_id = obj.user_id if change else User.objects.get(username=form.cleaned_data["username"]).pk
        saved = set_member(user_id, Role(obj.role), by=make_actor(request), reason=read_reason(request))
        obj.pk, obj.user_id = saved.pk, saved.user_id


@admin.display(description=_("who"), ordering="actor_id")
def render_actor(record: Any) -> str:
    """Return the user name of staff, the public id of a key, or the name of a job."""
    return str(record.who)


@admin.register(AuditRecord)
class AuditScreen(TenantAdmin):
    view_role = Role.MANAGER
    personal_data = False
    list_display = (
        "at",
        render_actor,
        "actor_kind",
        "action",
        "object_id",
        make_column("reason", render_line, _("reason")),
        make_column("refused", lambda refused: _("refused") if refused else "", _("refused")),
    )
    list_filter = ("refused", "actor_kind", "action", "at")
    search_fields = ("who", "object_id", "subject_ref", "action", "request_id")
    search_help_text = _("User name, key, object, subject, action or request")
    date_hierarchy = "at"
    ordering = ("-at", "-id")
    fieldsets = (
        make_fieldset(
            None, "at", render_actor, "actor_kind", "action", "refused", make_column("reason", render_line, _("reason"))
        ),
        make_fieldset(_("Object"), "object_kind", "object_id", "subject_ref"),
        make_fieldset(_("More"), "actor_id", "request_id", "id"),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return annotate_actor_names(super().get_queryset(request))
