"""The operator's look at somebody's log-in: second factor, identity at the provider, sessions."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memory_platform.console.log_in.own_log_in_page import count_recovery_codes, describe_sessions
from memory_platform.console.log_in.platform_log import record_staff_change
from memory_platform.console.shared.action_reasons import is_reason_missing, read_reason
from memory_platform.console.shared.custom_pages import render_console_page
from tenants.models import Role, StaffIdentity, Tenant
from tenants.selectors import roles_of_staff


def show_staff_access(screen: Any, request: HttpRequest, user: User) -> HttpResponse:
    """Show the page, or carry out its form, with a reason."""
    if request.method == "POST":
        if not is_reason_missing(screen, request):
            change_staff_access(screen, request, user)
        return redirect(request.path)
    return render_console_page(
        request,
        "console/operation/staff_access.html",
        _("Log-in of %(name)s") % {"name": user.get_username()},
        opts=screen.model._meta,
        person=user,
        roles=list_roles(user),
        sessions=describe_sessions(user),
        factor=Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first(),
        codes_left=count_recovery_codes(user),
        identities=StaffIdentity.objects.filter(user=user),
        has_password=user.has_usable_password(),
    )


def list_roles(user: User) -> list[tuple[str, Any]]:
    """Return the tenants of a person, each with the role; every tenant is an operator's. Two queries."""
    roles = roles_of_staff(user.pk)
    tenants = Tenant.objects.filter(id__in=roles).order_by("name")
    return [(tenant.name, Role(roles[tenant.id]).label) for tenant in tenants]


def change_staff_access(screen: Any, request: HttpRequest, user: User) -> None:
    by: Any = request.user
    match request.POST.get("act"):
        case "reset_factor":
            if Authenticator.objects.filter(user=user).delete()[0]:
                record_staff_change(by, user, f"Second factor reset: {read_reason(request)}")
            screen.message_user(
                request, _("The second factor is off. The person can set up a new one."), messages.SUCCESS
            )
        case "end_sessions":
            sessions = list(UserSession.objects.filter(user=user))
            get_adapter().end_sessions(sessions)
            record_staff_change(by, user, f"All sessions ended ({len(sessions)}): {read_reason(request)}")
            screen.message_user(request, _("All sessions of this person have ended."), messages.SUCCESS)
        case _other:
            screen.message_user(request, _("Nothing was done: choose an action."), messages.ERROR)
