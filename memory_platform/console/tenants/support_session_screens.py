"""Support sessions: opening one, ending it, and the list for the tenant's manager."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from memory_platform.console.shared.action_reasons import ReasonField, is_reason_missing, read_reason
from memory_platform.console.shared.audit.audit_sentences import render_sentence
from memory_platform.console.shared.audit.audited_object_names import annotate_object_names
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import check_console_page, render_console_page, require_permission
from memory_platform.console.shared.support_session_guard import format_minutes, needs_support_session
from memory_platform.console.shared.tenant_access import annotate_actor_names, make_actor
from memory_platform.console.shared.value_rendering import (
    build_list_address,
    make_column,
    make_computed_column,
    make_fieldset,
    render_line,
    render_text,
)
from memory_platform.console.tenants.members_and_audit_trail import render_actor
from tenants.config import SUPPORT_CONFIG
from tenants.models import AuditRecord, Role, SupportEnd, SupportSession
from tenants.services.support_sessions import end_support, open_support, set_members_need_support_session

# Records of a session that its page shows.
MAX_LOOKS = 30
SHORT_LENGTHS = (
    timedelta(minutes=15),
    timedelta(minutes=30),
    timedelta(hours=1),
    timedelta(hours=2),
    timedelta(hours=4),
)


def list_session_lengths() -> list[tuple[int, str]]:
    offered = (*SHORT_LENGTHS, SUPPORT_CONFIG.longest)
    return [(int(lasts.total_seconds() // 60), format_minutes(lasts.total_seconds() / 60)) for lasts in offered]


class SupportSessionForm(forms.Form):
    """The reason and the length of a support session."""

    reason = ReasonField()
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("For how long"),
        coerce=int,
        choices=list_session_lengths,
        initial=int(SUPPORT_CONFIG.lasts.total_seconds() // 60),
    )

    def clean_reason(self) -> str:
        """Refuse a reason without any letter or digit."""
        words = " ".join(self.cleaned_data["reason"].split())
        if not any(character.isalnum() for character in words):
            raise forms.ValidationError(_("Give the reason in words."))
        return words


def render_looks(session: Any) -> str:
    """Return the person's first acts and looks in the session, with a link to all."""
    end = min(at for at in (session.ended_at, session.ends_at) if at is not None)
    records = AuditRecord.objects.filter(
        actor_kind=session.actor_kind, actor_id=session.actor_id, at__gte=session.started_at, at__lt=end
    )
    looks = list(annotate_object_names(records).order_by("at", "id")[:MAX_LOOKS])
    if not looks:
        return _("Nothing.")
    items = format_html_join("", "<li>{} {}</li>", ((f"{one.at:%H:%M:%S}", render_sentence(one)) for one in looks))
    filters = {"show": "all", "actor_id": session.actor_id, "at__gte": session.started_at, "at__lt": end}
    address = f"{build_list_address(AuditRecord)}{urlencode(filters)}"
    return format_html(
        '<ul class="inbox-list">{}</ul><a href="{}">{}</a>', items, address, _("All records in the audit trail")
    )


looks_column = make_computed_column("looks", render_looks, gettext_lazy("looked at"))


@admin.register(SupportSession)
class SupportSessionScreen(TenantAdmin):
    """Who viewed personal data, why, and for how long. Managers see the list; everybody may open a session."""

    view_role = Role.MANAGER
    personal_data = False
    list_display = (
        "started_at",
        render_actor,
        "actor_kind",
        make_column("reason", render_line, gettext_lazy("reason")),
        "ends_at",
        make_column("ended_at", lambda at: at, gettext_lazy("ended early")),
    )
    list_filter = ("actor_kind", "started_at")
    search_fields = ("who", "reason")
    search_help_text = gettext_lazy("User name or reason")
    ordering = ("-started_at", "-id")
    change_list_template = "console/tenants/support_sessions.html"
    empty_text = gettext_lazy("Nobody has opened a support session yet.")
    hides_short_search = True
    fieldsets = (
        make_fieldset(None, render_actor, "actor_kind", make_column("reason", render_text, gettext_lazy("reason"))),
        make_fieldset(
            gettext_lazy("Times"),
            "started_at",
            "ends_at",
            make_column("ended_at", lambda at: at, gettext_lazy("ended early")),
        ),
        make_fieldset(gettext_lazy("What was looked at"), looks_column),
        make_fieldset(gettext_lazy("More"), "id"),
    )

    def get_urls(self) -> list[URLPattern]:
        own = (("start/", self.start_view), ("end/", self.end_view), ("members/", self.members_view))
        named = [
            path(at, self.admin_site.admin_view(view), name=f"tenants_supportsession_{at[:-1]}") for at, view in own
        ]
        return [*named, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        ended = SupportEnd.objects.filter(session_id=OuterRef("id")).values("at")[:1]
        sessions: QuerySet[SupportSession] = annotate_actor_names(super().get_queryset(request))
        return sessions.annotate(ended_at=Subquery(ended))

    def start_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for reason and length; then redirect to the requested page."""
        wanted = check_console_page(request.POST.get("next", request.GET.get("next", "")))
        # The tenant may have stopped requiring sessions since the redirect to this page.
        if not needs_support_session(request):
            return redirect(wanted)
        form = SupportSessionForm(request.POST or None)
        if form.is_valid():
            lasts = timedelta(minutes=form.cleaned_data["minutes"])
            open_support(by=make_actor(request), reason=form.cleaned_data["reason"], lasts=lasts)
            return redirect(wanted)
        return render_console_page(
            request, "console/tenants/support_session_start.html", _("Support session"), form=form, next=wanted
        )

    @method_decorator(require_POST)
    def end_view(self, request: HttpRequest) -> HttpResponse:
        if end_support(by=make_actor(request)):
            self.message_user(request, _("The support session has ended."), messages.SUCCESS)
        return redirect("admin:index")

    @method_decorator(require_POST)
    def members_view(self, request: HttpRequest) -> HttpResponse:
        """Require support sessions of members, or stop requiring them; for managers, with a reason."""
        require_permission(self.has_manager_permission, request)
        if not is_reason_missing(self, request):
            needed = request.POST.get("needed") == "yes"
            set_members_need_support_session(needed=needed, by=make_actor(request), reason=read_reason(request))
            text = _("Members need a support session now.") if needed else _("Members need no support session now.")
            self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:tenants_supportsession_changelist")
