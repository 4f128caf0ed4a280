"""The second factor of log-ins with a password: a code of an app, or a recovery code."""

import textwrap
from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.views import ReauthenticateView
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.log_in.allauth_adapters import WRONG_CODE

# How somebody logged in, as django-allauth records it in the session.
PASSWORD, PROVIDER = "password", "oidc"


def is_from_provider(request: HttpRequest, user: Any) -> bool:
    """Return whether the latest log-in of this session came from the OpenID provider, which has its own factors."""
    records = get_authentication_records(request, user)
    ways = [one["method"] for one in records if not one.get("reauthenticated")]
    return next((way for way in reversed(ways) if way in {PASSWORD, PROVIDER}), "") == PROVIDER


def must_set_up_second_factor(request: HttpRequest) -> bool:
    """Return whether the person must set up a second factor before anything else."""
    return (
        bool(settings.CONSOLE_REQUIRE_SECOND_FACTOR)
        and not is_from_provider(request, request.user)
        and not has_second_factor(request.user)
    )


def lead_to_second_factor(request: HttpRequest) -> HttpResponse:
    messages.warning(request, _("This platform requires a second factor. Set it up to go on."))
    return redirect("admin:mfa_activate_totp")


def has_second_factor(user: Any) -> bool:
    return bool(is_mfa_enabled(user, [Authenticator.Type.TOTP]))


class SecondFactorStage(AuthenticateStage):  # type: ignore[misc]  # the library carries no types
    """Asks for a code after the password, when the person has a second factor."""

    def _should_handle(self, request: HttpRequest) -> bool:
        return not is_from_provider(request, self.login.user) and super()._should_handle(request)


def make_code_field() -> forms.CharField:
    attributes = {"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false", "autocapitalize": "none"}
    return forms.CharField(
        label=gettext_lazy("Code"), max_length=40, widget=forms.TextInput(attrs={**attributes, "size": 12})
    )


class CodeForm(AuthenticateForm):  # type: ignore[misc]  # the library carries no types
    """A code of the app, or a recovery code."""

    code = make_code_field()


class SetUpForm(ActivateTOTPForm):  # type: ignore[misc]  # the library carries no types
    """The first code, which proves that the app has the secret."""

    code = make_code_field()

    @property
    def secret_fours(self) -> list[str]:
        """Return the secret in groups of four characters, as one reads it aloud or types it."""
        return textwrap.wrap(str(self.secret), 4)

    def clean_code(self) -> str:
        """Return the code. It counts as used: nobody logs in with it again."""
        code: str = super().clean_code()
        if not TOTP(Authenticator(user=self.user))._mark_code_used(code):
            raise ValidationError(WRONG_CODE)
        return code


class PasswordForm(ReauthenticateForm):  # type: ignore[misc]  # the library carries no types
    """The password once more."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )


class ConsolePage:
    """Shows a view of django-allauth in the frame of the console. Comes first among the bases."""

    title: Any = ""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        request: HttpRequest = self.request  # type: ignore[attr-defined]  # every view has it
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]  # of the view
        return {**admin.site.each_context(request), "title": self.title, **context}


class PasswordHoldersPage(ConsolePage):
    """A page that asks for the password first. People without one are led away: their second factor is elsewhere."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user: Any = request.user
        if not user.has_usable_password():
            messages.info(request, _("You log in without a password, so there is no second factor here."))
            return redirect("admin:mfa_index")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]  # of the view
        return response


class SetUpPage(PasswordHoldersPage, ActivateTOTPView):  # type: ignore[misc]  # the library carries no types
    title = gettext_lazy("Set up the second factor")
    form_class = SetUpForm
    template_name = "console/log_in/second_factor_on.html"

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        messages.success(self.request, _("The second factor is on. Keep the recovery codes in a safe place."))
        return response


class SwitchOffPage(PasswordHoldersPage, DeactivateTOTPView):  # type: ignore[misc]  # the library carries no types
    title = gettext_lazy("Switch the second factor off")
    template_name = "console/log_in/second_factor_off.html"

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        messages.success(self.request, _("The second factor is off. Its recovery codes no longer work."))
        return response


class RecoveryCodesPage(PasswordHoldersPage, ViewRecoveryCodesView):  # type: ignore[misc]  # the library carries no types
    title = gettext_lazy("Recovery codes")
    template_name = "console/log_in/recovery_codes.html"


class NewRecoveryCodesPage(PasswordHoldersPage, GenerateRecoveryCodesView):  # type: ignore[misc]  # the library carries no types
    title = gettext_lazy("New recovery codes")
    template_name = "console/log_in/recovery_codes_new.html"

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        messages.success(self.request, _("These codes are new. The old ones no longer work."))
        return response


class PasswordAgainPage(PasswordHoldersPage, ReauthenticateView):  # type: ignore[misc]  # the library carries no types
    title = gettext_lazy("Enter your password again")
    form_class = PasswordForm
    template_name = "console/log_in/password_again.html"


class CodePage(ConsolePage, AuthenticateView):  # type: ignore[misc]  # the library carries no types
    title = gettext_lazy("Enter the code")
    form_class = CodeForm
    template_name = "console/log_in/code.html"
