"""Invitations: a manager makes a link, passes it on, revokes it or makes a new one. A link is shown once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    ReasonField,
    join_lines,
    read_reason,
    require_reason,
)
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse, respond_in_scope
from memory_platform.console.shared.base_screens import CreateOnlyAdmin
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.tenant_access import TenantDesk, annotate_actor_names, current_desk, make_actor
from memory_platform.console.shared.value_rendering import make_column, make_fieldset, render_line, render_word
from memory_platform.console.tenants.invitation_mail import MailResult, mail_link
from memory_platform.console.tenants.invitation_page import build_link
from memory_platform.console.tenants.members_and_audit_trail import ROLES_TEXT, render_actor
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id, stable_id
from tenants.isolation import current_tenant_id
from tenants.models import Invitation, Role
from tenants.services.invitations import (
    CreatedInvitation,
    create_invitation,
    renew_invitation,
    revoke_invitation,
)

ALREADY_CREATED_TEXT = _(
    "This form has already made an invitation, and its link was shown then. If the link is lost, choose “New link”."
)


class InvitationForm(forms.ModelForm[Invitation]):
    """Whom a manager invites, in which role and why. ``sheet`` identifies the form: sent twice, it makes one link."""

    reason = ReasonField()
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, help_text=ROLES_TEXT)
    sheet = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=new_id)

    class Meta:
        model = Invitation
        fields = ("invitee", "role")
        help_texts = {
            "invitee": _(
                "A name or an e-mail address, for your own list. If this platform sends mail, an address gets the link."
            ),
        }

    def clean_invitee(self) -> str:
        """Return the text in one printable line."""
        line = join_lines(self.cleaned_data["invitee"])
        if not line:
            raise forms.ValidationError(_("Enter a name or an e-mail address."))
        return line

    def clean(self) -> dict[str, Any]:
        """Refuse a form that has already made its invitation: the link was shown then."""
        given = super().clean() or {}
        if Invitation.objects.filter(id=make_invitation_id(given.get("sheet"))).exists():
            raise forms.ValidationError(ALREADY_CREATED_TEXT)
        return given


def make_invitation_id(sheet: UUID | None) -> UUID:
    """Return the id of the invitation that a form makes: the same for the same form of one tenant."""
    return stable_id("invitation", current_tenant_id(), sheet) if sheet else new_id()


class InvitationStateFilter(ConditionFilter):
    """Filters invitations by state; open ones by default."""

    title = _("state")
    parameter_name = "state"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        waiting = Q(accepted_at__isnull=True, revoked_at__isnull=True)
        return {
            "open": (_("open"), waiting & Q(expires_at__gt=utc_now())),
            "accepted": (_("accepted"), Q(accepted_at__isnull=False)),
            "revoked": (_("revoked"), Q(revoked_at__isnull=False)),
            "expired": (_("expired"), waiting & Q(expires_at__lte=utc_now())),
            "all": (_("All"), Q()),
        }

    def value(self) -> str:
        return super().value() or "open"

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the choices without Django's own “All”, which would be the default."""
        yield from list(super().choices(changelist))[1:]


@admin.display(description=_("state"))
def render_invitation_state(invitation: Invitation) -> Any:
    if invitation.accepted_at is not None:
        return _("accepted")
    if invitation.revoked_at is not None:
        return _("revoked")
    return _("expired") if invitation.expires_at <= utc_now() else _("open")


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A link on the one page that shows it, and whether it was mailed."""

    invitation: Invitation
    address: str
    mail: MailResult


@admin.register(Invitation)
class InvitationScreen(CreateOnlyAdmin):
    """Invitations, open ones first shown: made by managers, shown once, revoked, never changed or deleted."""

    form = InvitationForm
    view_role = add_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    add_title, add_button = _("Invite a member"), _("Create invitation link")
    empty_text = _("No invitation is open. Invite a member, and pass the link on.")
    hides_short_search = True
    list_display = (
        make_column("invitee", render_line, _("for whom"), order="invitee"),
        "role",
        render_invitation_state,
        "expires_at",
        render_actor,
        "created_at",
    )
    list_filter = (InvitationStateFilter, "role")
    search_fields = ("invitee", "who")
    search_help_text = _("For whom, or who invited")
    ordering = ("-created_at", "-id")
    action_form = ReasonedActionForm
    actions = ("renew", "revoke")
    page_fieldsets = (
        make_fieldset(None, make_column("invitee", render_word, _("for whom")), "role", render_invitation_state),
        make_fieldset(_("Times"), "created_at", "expires_at", "accepted_at", "revoked_at"),
        make_fieldset(_("More"), render_actor, "id"),
    )
    form_fieldsets = (make_fieldset(None, "invitee", "role", "reason", "sheet"),)

    def title_of(self, obj: Invitation) -> str:
        return obj.invitee

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invitation]:
        return annotate_actor_names(super().get_queryset(request))

    def save_model(self, request: HttpRequest, obj: Invitation, form: InvitationForm, change: bool) -> None:
        """Create the invitation, unless the same form is creating it at this moment."""
        made_as = make_invitation_id(form.cleaned_data["sheet"])
        given: dict[str, Any] = {"invitee": obj.invitee, "role": Role(obj.role), "slug": read_slug(request)}
        try:
            with transaction.atomic():
                created = create_invitation(
                    **given, by=make_actor(request), reason=read_reason(request), invitation_ref=made_as
                )
        except IntegrityError:
            obj.pk = made_as
            return
        obj.pk = created.invitation.pk
        request.created = [created]  # type: ignore[attr-defined]  # read back by response_add

    def response_add(self, request: HttpRequest, obj: Invitation, post_url_continue: str | None = None) -> HttpResponse:
        """Return the page with the link: no cookie, session or later page ever holds it."""
        created: list[CreatedInvitation] = getattr(request, "created", [])
        if not created:
            self.message_user(request, ALREADY_CREATED_TEXT, messages.WARNING)
            return redirect("admin:tenants_invitation_changelist")
        return show_links(request, created)

    @admin.action(description=_("New link: the old one ends at once"), permissions=["manager"])
    def renew(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> HttpResponse | None:
        """Make the chosen invitations anew; those that were accepted or revoked stay as they are."""
        by, reason, slug = make_actor(request), read_reason(request), read_slug(request)
        made = [renew_invitation(one, slug=slug, by=by, reason=reason) for one in queryset.order_by("id")]
        created = [one for one in made if one is not None]
        if not created:
            self.message_user(
                request, _("Nothing was done: each chosen invitation was accepted or revoked."), messages.ERROR
            )
            return None
        return show_links(request, created)

    @admin.action(description=_("Revoke at once"), permissions=["manager"])
    @require_reason
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        by, reason = make_actor(request), read_reason(request)
        count = sum(revoke_invitation(one, by=by, reason=reason) for one in queryset.order_by("id"))
        if count:
            self.message_user(request, _("Revoked: the links no longer work."), messages.SUCCESS)
        else:
            self.message_user(
                request, _("Nothing was done: each chosen invitation was accepted or revoked."), messages.ERROR
            )


def read_slug(request: HttpRequest) -> str:
    desk = current_desk(request)
    return desk.tenant.slug if desk else ""


def show_links(request: HttpRequest, created: Sequence[CreatedInvitation]) -> HttpResponse:
    """Mail the links after the page's transaction, then show them: a mail server must not hold the transaction, and a
    link that was mailed must not be rolled back."""
    desk = current_desk(request)
    if desk is None:
        return redirect("admin:index")
    return AfterCommitResponse(lambda: mail_and_show_links(request, desk, created))


def mail_and_show_links(request: HttpRequest, desk: TenantDesk, created: Sequence[CreatedInvitation]) -> HttpResponse:
    links = mail_links(request, desk.tenant.name, created)
    title = _("Copy the link now")
    return respond_in_scope(
        desk, lambda: render_console_page(request, "console/access/invitation_link.html", title, links=links)
    )


def mail_links(request: HttpRequest, tenant_name: str, created: Sequence[CreatedInvitation]) -> list[ShownLink]:
    """Mail the links to whom they are for, where that is possible. Runs without an open transaction."""
    links: list[ShownLink] = []
    names = {"tenant_name": tenant_name, "inviter": request.user.get_username()}
    for one in created:
        address = build_link(request, one.token)
        # A server that does not answer is not waited for again.
        is_away = any(link.mail == MailResult.SERVER_AWAY for link in links)
        mail = MailResult.SERVER_AWAY if is_away else mail_link(one.invitation, address, **names)
        links.append(ShownLink(one.invitation, address, mail))
    return links
