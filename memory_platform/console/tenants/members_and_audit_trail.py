"""Screens of the tenant itself: members and audit trail."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    ReasonField,
    is_reason_missing,
    read_reason,
    require_reason,
)
from memory_platform.console.shared.audit.audit_sentences import (
    ActionFilter,
    LooksFilter,
    TimeFilter,
    annotate_people,
    describe_action,
    mark_same_acts,
    render_reason,
    render_reason_once,
    render_sentence,
)
from memory_platform.console.shared.audit.audited_object_names import annotate_object_names, name_personal_objects
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import is_operator, require_permission
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.status_badges import BAD, GOOD, StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import (
    ROLE_RANKS,
    annotate_actor_names,
    current_desk,
    load_tenant_roles,
    make_actor,
)
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    render_word,
)
from memory_platform.console.tenants.audit_export import AuditExportAdmin
from tenants.errors import LastManager
from tenants.models import ActorKind, AuditRecord, Invitation, Member, Role
from tenants.services.invitations import count_open_invitations
from tenants.services.tenants import is_last_manager, remove_member, require_another_manager, set_member

ROLES_TEXT = _(
    "A viewer sees people and answers. Support also corrects memories and reviews proposals. A manager "
    "also manages members, API keys and policies, and erases."
)
LAST_MANAGER_TEXT = _(
    "Nothing was changed: %(name)s is the last active manager of this tenant, and without one nobody could invite "
    "people, change roles or make API keys. Make somebody else a manager first: change the role of a member, or invite "
    "a manager."
)
REMOVED_TEXT = _("Removed. Access ends with the next page they open.")
LOSSES_OF_MANAGERS = _(
    "With the role of a manager you lose quality and cost, policies, API keys, changes of members, invitations, the "
    "audit trail, forgetting and erasing. Your open invitations end. Only another manager can give you the role back."
)
LOSSES_OF_STAFF = _(
    "As a viewer you can no longer correct, retire or review. Only a manager can give you the role back."
)


class MemberRoleForm(forms.ModelForm[Member]):
    """A member's role, and the reason for its change."""

    reason = ReasonField()

    class Meta:
        model = Member
        fields = ("role",)
        help_texts = {"role": ROLES_TEXT}

    def clean_role(self) -> str:
        """Refuse to demote the last manager; until the transaction ends, nobody can take the others away."""
        role: str = self.cleaned_data["role"]
        if role != Role.MANAGER:
            try:
                require_another_manager(self.instance.user_id)
            except LastManager:
                raise forms.ValidationError(LAST_MANAGER_TEXT % {"name": self.instance.user}) from None
        return role


class OwnRoleForm(MemberRoleForm):
    """Somebody's own role. A lower one takes effect with the next page, so it is asked twice."""

    accepts_loss = forms.BooleanField(label=_("Yes, lower my own role"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        is_manager = self.instance.role == Role.MANAGER
        self.fields["accepts_loss"].help_text = LOSSES_OF_MANAGERS if is_manager else LOSSES_OF_STAFF

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        role = given.get("role")
        is_lower = role is not None and ROLE_RANKS[role] < ROLE_RANKS[self.instance.role]
        if is_lower and not given.get("accepts_loss"):
            self.add_error(
                "accepts_loss", _("Nothing was changed yet: this is your own role. Tick the box to lower it.")
            )
        return given


ORIGIN_LABELS = {"invitation": _("an invitation"), "group": _("a group of the log-in"), "hand": _("the operator")}
# The times of an invitation and of its member are those of two clocks.
ACCEPTED_WITHIN = timedelta(seconds=30)


class MemberOriginFilter(ConditionFilter):
    """Filters members by how they got their role."""

    title = _("added by")
    parameter_name = "added"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {
            "invitation": (ORIGIN_LABELS["invitation"], Q(from_groups=False, is_invited=True)),
            "group": (ORIGIN_LABELS["group"], Q(from_groups=True)),
            "hand": (ORIGIN_LABELS["hand"], Q(from_groups=False, is_invited=False)),
        }


def render_origin(member: Any) -> Any:
    """Return how the annotated member came."""
    if member.from_groups:
        return ORIGIN_LABELS["group"]
    return ORIGIN_LABELS["invitation" if member.is_invited else "hand"]


def build_invited_condition() -> Exists:
    """Return the condition that a member came by an invitation: one was accepted as the member was made."""
    made = OuterRef("created_at")
    return Exists(
        Invitation.objects.filter(accepted_at__gte=made - ACCEPTED_WITHIN, accepted_at__lte=made + ACCEPTED_WITHIN)
    )


def render_last_log_in(user: Any) -> Any:
    return render_time_ago(user.last_login) or _("never")


def render_second_factor(member: Any) -> Any:
    """Return whether the annotated member has a second factor for log-ins with a password."""
    return render_badge(StatusBadge(_("on"), GOOD) if member.has_factor else StatusBadge(_("off")))


@admin.register(Member)
class MemberScreen(TenantAdmin):
    """Members of the tenant and their roles. New ones come by invitation only: nobody is added by user name, which
    would tell managers who has an account, and give strangers access by a slip."""

    change_role = delete_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    list_display = (
        "user",
        "role",
        make_computed_column("email", lambda member: render_word(member.user.email), _("e-mail"), order="user__email"),
        make_computed_column("last_login", lambda member: render_last_log_in(member.user), _("last log-in")),
        make_computed_column("factor", render_second_factor, _("second factor")),
        make_computed_column("origin", render_origin, _("added by"), order="from_groups"),
        "created_at",
    )
    list_filter = ("role", MemberOriginFilter)
    list_select_related = ("user",)
    hides_short_search = True
    change_button = _("Change role")
    search_fields = ("user__username", "user__email")
    ordering = ("created_at", "id")
    action_form = ReasonedActionForm
    actions = ("remove",)
    change_list_template = "console/tenants/members.html"
    delete_confirmation_template = "console/shared/delete_with_reason.html"

    def title_of(self, obj: Member) -> str:
        return str(obj.user)

    def get_queryset(self, request: HttpRequest) -> Any:
        factors = Authenticator.objects.filter(user=OuterRef("user_id"), type=Authenticator.Type.TOTP)
        return super().get_queryset(request).annotate(has_factor=Exists(factors), is_invited=build_invited_condition())

    def list_facts(self, obj: Any) -> Any:
        is_on = gettext("second factor on") if obj.has_factor else gettext("second factor off")
        seen = make_time_fact(_("last log-in %s"), obj.user.last_login) or gettext("has never logged in")
        return (obj.user.email, seen, is_on, render_origin(obj))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        desk = current_desk(request)
        context["delete_label"] = gettext("Remove from %(tenant)s") % {"tenant": desk.tenant.name if desk else ""}
        return super().render_change_form(request, context, *args, **kwargs)

    def audit_id_of(self, obj: Member) -> str:
        """Return the id of the user: it outlives the membership."""
        return str(obj.user_id)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        invites = self.has_manager_permission(request)
        waiting = count_open_invitations() if invites else 0
        return super().changelist_view(request, {"invites": invites, "waiting": waiting, **(extra_context or {})})

    @admin.action(description=_("Remove from this tenant"), permissions=["manager"])
    @require_reason
    def remove(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        """Remove the chosen members, all or none. Somebody's own membership ends on its own page only."""
        chosen = list(queryset.select_related("user"))
        own = next((member for member in chosen if is_own_membership(request, member)), None)
        if own is not None:
            text = _(
                "Nothing was done: you chose yourself, too. To leave this tenant, use {}, which says what you lose."
            )
            address = reverse("admin:tenants_member_delete", args=[own.pk])
            page = format_html('<a href="{}">{}</a>', address, _("its own page"))
            self.message_user(request, format_html(str(text), page), messages.ERROR)
            return
        try:
            with transaction.atomic():
                for member in chosen:
                    removing = member.user
                    remove_member(member.user_id, by=make_actor(request), reason=read_reason(request))
        except LastManager:
            self.message_user(request, LAST_MANAGER_TEXT % {"name": removing}, messages.ERROR)
            return
        self.message_user(request, REMOVED_TEXT, messages.SUCCESS)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require_permission(self.has_delete_permission, request)
        member = self.get_or_404(request, object_id)
        if request.method == "POST" and is_reason_missing(self, request):
            return redirect(request.path)
        shown = describe_removal(request, member)
        try:
            return super().delete_view(request, object_id, {**shown, **(extra_context or {})})
        except LastManager:
            self.message_user(request, LAST_MANAGER_TEXT % {"name": member.user}, messages.ERROR)
            return redirect(request.path)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: Any) -> HttpResponse:
        desk = current_desk(request)
        text = str(REMOVED_TEXT)
        if desk is not None and desk.tenant.id not in load_tenant_roles(request):
            text = _("You have left %(tenant)s.") % {"tenant": desk.tenant.name}
        self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:tenants_member_changelist")

    def delete_model(self, request: HttpRequest, obj: Member) -> None:
        remove_member(obj.user_id, by=make_actor(request), reason=read_reason(request))

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        is_own = obj is not None and self.has_change_permission(request, obj) and is_own_membership(request, obj)
        form = OwnRoleForm if is_own and obj.role != Role.VIEWER else MemberRoleForm
        return super().get_form(request, obj, change, form=form, **kwargs)

    def save_model(self, request: HttpRequest, obj: Member, form: Any, change: bool) -> None:
        if "role" not in form.changed_data:
            return  # else a role that a group gave would stay when the group is gone
        set_member(obj.user_id, Role(obj.role), by=make_actor(request), reason=read_reason(request))


def is_own_membership(request: HttpRequest, member: Member) -> bool:
    """Return whether the person would lose access by it: an operator works in every tenant anyway."""
    return member.user_id == request.user.pk and not is_operator(request)


def describe_removal(request: HttpRequest, member: Member) -> dict[str, Any]:
    """Return the text of the page that asks whether to remove this member."""
    refusal = LAST_MANAGER_TEXT % {"name": member.user} if is_last_manager(member.user_id) else ""
    title = gettext("Remove %(name)s") % {"name": member.user}
    return {
        "title": title,
        "removed": str(member.user),
        "is_own": is_own_membership(request, member),
        "refusal": refusal,
    }


REFUSED = StatusBadge(_("refused"), BAD)


@admin.display(description=_("who"), ordering="actor_id")
def render_actor(record: Any) -> str:
    """Return the user name of staff, the name of a key or a job."""
    return gettext("key %(name)s") % {"name": record.who} if record.actor_kind == ActorKind.API_KEY else str(record.who)


reason_column = make_computed_column("reason", render_reason_once, _("reason"))
reason_column.value_path = "reason"  # so that it takes no room where no record has one


@admin.display(description=_("what"), ordering="action")
def render_sentence_and_refusal(record: Any) -> str:
    sentence = render_sentence(record)
    return format_html("{} {}", sentence, render_badge(REFUSED)) if record.refused else sentence


class AuditChangeList(SafeChangeList):
    """The trail, with the names of memories on the page that is shown."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        mark_same_acts(rows)
        name_personal_objects(rows, request)
        self.result_list = rows


@admin.register(AuditRecord)
class AuditScreen(AuditExportAdmin):
    view_role = Role.MANAGER
    personal_data = False
    list_display = (
        make_column("at", render_time_ago, _("time"), order="at"),
        render_actor,
        render_sentence_and_refusal,
        reason_column,
    )
    count_text = ngettext_lazy("%(count)d record", "%(count)d records", "count")
    list_filter = (LooksFilter, "refused", "actor_kind", ("action", ActionFilter), ("at", TimeFilter))
    search_fields = ("who", "object_id", "object_name", "person", "subject_ref", "action", "request_id")
    search_help_text = _("User name, key, object, person, action or request")
    ordering = ("-at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            make_column("at", lambda at: f"{at:%Y-%m-%d %H:%M:%S} UTC", _("time")),
            render_sentence,
        ),
        make_folded_fieldset(
            _("Technical details"),
            "action",
            "actor_kind",
            "actor_id",
            "object_kind",
            "object_id",
            "subject_ref",
            "request_id",
        ),
    )

    def title_of(self, obj: AuditRecord) -> str:
        return capfirst(describe_action(obj.action))

    def get_badge(self, obj: AuditRecord) -> StatusBadge | None:
        return REFUSED if obj.refused else None

    def list_facts(self, obj: Any) -> Sequence[Any]:
        return (make_time_fact("%s", obj.at), render_actor(obj), render_reason(obj) if obj.reason else "")

    def list_acts(self, request: HttpRequest, obj: AuditRecord) -> Sequence[HeaderAct]:
        """Return the ways to the records before and after this one."""
        beside = AuditRecord.objects.exclude(pk=obj.pk)
        earlier = beside.filter(Q(at__lt=obj.at) | Q(at=obj.at, pk__lt=obj.pk)).order_by("-at", "-pk").first()
        later = beside.filter(Q(at__gt=obj.at) | Q(at=obj.at, pk__gt=obj.pk)).order_by("at", "pk").first()
        ways = ((_("Earlier"), earlier), (_("Later"), later))
        return [HeaderAct(label, build_change_address(AuditRecord, one.pk)) for label, one in ways if one is not None]

    def get_queryset(self, request: HttpRequest) -> Any:
        records = annotate_people(super().get_queryset(request), request)
        return annotate_object_names(annotate_actor_names(records))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return AuditChangeList

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> AuditRecord | None:
        """Return the record with the name of its object."""
        found: AuditRecord | None = super().get_object(request, object_id, from_field)
        name_personal_objects([found] if found else [], request)
        return found
