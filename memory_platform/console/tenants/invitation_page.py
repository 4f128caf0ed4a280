"""The page behind the link of an invitation: open to everybody, before there is a tenant or a log-in.

The token stands in the link's fragment, ``/console/invitation/#<token>``. Browsers keep a fragment to themselves: it is
in no request line, so in no access log of ours or of a proxy, and in no Referer. A script moves it into a form, takes
it out of the address bar and the history, and sends it in a POST; without scripts, people paste the link. The pages
that follow carry it in a hidden field. A session would keep it in the database in clear, where only its hash belongs.
They have another address than the link: there, a browser would take a second link for a jump within the page.

Opening the link changes nothing, neither GET nor the POST that shows the offer: mail scanners open links, some with
scripts. (The Referrer-Policy stays ``same-origin``. With ``no-referrer`` browsers send ``Origin: null``, and the check
for forged requests refuses that.)
"""

from http import HTTPStatus
from typing import Any

from allauth.core.ratelimit import consume
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from memory_platform.console.log_in.second_factor import lead_to_second_factor, must_set_up_second_factor
from memory_platform.console.log_in.staff_forms import label_log_in_fields
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.tenant_access import TENANT_SESSION_KEY
from tenants.errors import AlreadyMember, InvitationEnded
from tenants.services.invitations import InvitationOffer, accept_invitation, find_offer

# Longer than any link: what is pasted may be anything.
MAX_LINK_CHARS = 1_000
TAKEN_TEXT = gettext_lazy("This user name is not available. Choose another one.")


class NewUserForm(UserCreationForm[User]):
    """User name and password of a new account. A user name that is taken is not available, whoever has it."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)
        error_messages = {"username": {"unique": TAKEN_TEXT}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        label_log_in_fields(self)

    def validate_password_for_user(self, user: User, password_field_name: str = "password1") -> None:  # noqa: S107 - a field
        """Show the errors of a password at the password."""
        super().validate_password_for_user(user, password_field_name)  # type: ignore[misc]  # the stubs are older

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(TAKEN_TEXT)
        return username

    def save(self, commit: bool = True) -> User:
        self.instance.is_staff = True
        return super().save(commit)


def build_link(request: HttpRequest, token: str) -> str:
    """Return the link of an invitation, at the origin that the manager's browser named.

    Behind a proxy with TLS the request itself does not tell that it came by https. The origin of a form does, and the
    check for forged requests has compared it with ours.
    """
    page = reverse("admin:invitation")
    origin = request.headers.get("Origin", "")
    address = f"{origin}{page}" if origin.startswith(("http://", "https://")) else request.build_absolute_uri(page)
    return f"{address}#{token}"


@never_cache
@require_safe
def open_invitation(request: HttpRequest) -> HttpResponse:
    """Return the page of the link. Its script sends the token on."""
    return render_invitation_page(request, "invitation_open", _("Invitation"))


@never_cache
@sensitive_post_parameters("token", "password1", "password2")
@require_http_methods(["GET", "HEAD", "POST"])
def show_invitation(request: HttpRequest) -> HttpResponse:
    """Show the offer of a link, and accept it."""
    if request.method != "POST":
        return redirect("admin:invitation")
    if not consume(request, action="invitation"):
        return render_invitation_page(
            request, "invitation_tries", _("Too many attempts"), status=HTTPStatus.TOO_MANY_REQUESTS
        )
    token = read_token(request)
    try:
        offer = find_offer(token)
        if request.user.is_authenticated and request.user.is_staff:
            return respond_to_staff(request, offer, token)
        return respond_to_newcomer(request, offer, token)
    except InvitationEnded:
        return render_invitation_page(
            request, "invitation_ended", _("This invitation is not valid"), status=HTTPStatus.NOT_FOUND
        )


def respond_to_staff(request: HttpRequest, offer: InvitationOffer, token: str) -> HttpResponse:
    """Ask whether the account that is logged in accepts, or accept."""
    shown: dict[str, Any] = {"offer": offer, "token": token}
    if request.POST.get("act") != "accept":
        return render_invitation_page(request, "invitation_staff", _("Invitation"), **shown)
    if must_set_up_second_factor(request):
        return lead_to_second_factor(request)
    user = User.objects.get(username=request.user.get_username())
    try:
        accept_invitation(offer, lambda: user, request_id=read_request_id(request))
    except AlreadyMember:
        return render_invitation_page(
            request, "invitation_staff", _("Invitation"), status=HTTPStatus.CONFLICT, is_member=True, **shown
        )
    return enter_tenant(request, offer)


def respond_to_newcomer(request: HttpRequest, offer: InvitationOffer, token: str) -> HttpResponse:
    """Ask for user name and password, or make the account, accept and log in."""
    form = NewUserForm(request.POST if request.POST.get("act") == "create" else None)
    if form.is_valid():
        try:
            user = accept_invitation(offer, form.save, request_id=read_request_id(request))
        except IntegrityError:  # somebody took the name at this moment
            form.add_error("username", TAKEN_TEXT)
        else:
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            return enter_tenant(request, offer)
    return render_invitation_page(request, "invitation_newcomer", _("Invitation"), offer=offer, token=token, form=form)


def enter_tenant(request: HttpRequest, offer: InvitationOffer) -> HttpResponse:
    request.session[TENANT_SESSION_KEY] = str(offer.tenant_id)
    text = _("Welcome to %(tenant)s. Your role is: %(role)s.")
    messages.success(request, text % {"tenant": offer.tenant_name, "role": offer.role.label})
    return redirect("admin:index")


def read_token(request: HttpRequest) -> str:
    """Return the token that was sent: alone, or at the end of a link that was pasted."""
    return request.POST.get("token", "")[:MAX_LINK_CHARS].strip().rpartition("#")[2]


def read_request_id(request: HttpRequest) -> str:
    return str(getattr(request, "request_id", ""))


def render_invitation_page(
    request: HttpRequest, name: str, title: str, *, status: int = HTTPStatus.OK, **context: Any
) -> HttpResponse:
    return render_console_page(
        request,
        f"console/tenants/{name}.html",
        title,
        status=status,
        is_nav_sidebar_enabled=False,
        **context,
    )
