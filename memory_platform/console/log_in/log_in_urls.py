"""Addresses of log-ins. The names are those by which django-allauth and Django look for them."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.urls import URLPattern, path

from memory_platform.console.log_in.log_in_page import LogInPage
from memory_platform.console.log_in.oidc_views import come_from_provider, go_to_provider
from memory_platform.console.log_in.own_log_in_page import end_own_sessions, show_own_log_in
from memory_platform.console.log_in.password_reset import (
    AskForLinkPage,
    LinkSentPage,
    NewPasswordPage,
    PasswordIsSetPage,
    require_mail_server,
)
from memory_platform.console.log_in.second_factor import (
    CodePage,
    NewRecoveryCodesPage,
    PasswordAgainPage,
    RecoveryCodesPage,
    SetUpPage,
    SwitchOffPage,
)
from memory_platform.console.shared.support_session_guard import mark_impersonal
from memory_platform.console.shared.tenant_access import View, mark_scopeless
from memory_platform.console.shared.tenant_switch_guard import mark_tenantless_form


def mark_own_log_in_view(view: View) -> View:
    """Mark a view of the person's own log-in: it belongs to no tenant, and opens before a second factor is set up."""
    view.of_own_log_in = True  # type: ignore[attr-defined]  # read back by is_own_log_in_view
    return mark_impersonal(mark_scopeless(mark_tenantless_form(view)))


def is_own_log_in_view(view: Any) -> bool:
    return getattr(view, "of_own_log_in", False) is True


def list_log_in_urls() -> list[URLPattern]:
    """Return the addresses of the person's own log-in, and those that are open without one."""

    def of_own_log_in(address: str, view: Callable[..., Any], name: str) -> URLPattern:
        return path(address, admin.site.admin_view(mark_own_log_in_view(view)), name=name)

    return [
        of_own_log_in("account/", show_own_log_in, "mfa_index"),
        of_own_log_in("account/sessions/end/", end_own_sessions, "account_end_sessions"),
        of_own_log_in("account/password-again/", PasswordAgainPage.as_view(), "account_reauthenticate"),
        of_own_log_in("account/second-factor/", SetUpPage.as_view(), "mfa_activate_totp"),
        of_own_log_in("account/second-factor/off/", SwitchOffPage.as_view(), "mfa_deactivate_totp"),
        of_own_log_in("account/recovery-codes/", RecoveryCodesPage.as_view(), "mfa_view_recovery_codes"),
        of_own_log_in("account/recovery-codes/new/", NewRecoveryCodesPage.as_view(), "mfa_generate_recovery_codes"),
        path("login/code/", CodePage.as_view(), name="mfa_authenticate"),
        path("oidc/login/", go_to_provider, name="oidc_login"),
        path("oidc/callback/", come_from_provider, name="oidc_callback"),
        path("password-reset/", require_mail_server(AskForLinkPage.as_view()), name="admin_password_reset"),
        path("password-reset/sent/", require_mail_server(LinkSentPage.as_view()), name="password_reset_done"),
        path(
            "password-reset/<uidb64>/<token>/",
            require_mail_server(NewPasswordPage.as_view()),
            name="password_reset_confirm",
        ),
        path("password-reset/done/", require_mail_server(PasswordIsSetPage.as_view()), name="password_reset_complete"),
    ]


def list_library_names() -> list[URLPattern]:
    """Return the same addresses for look-ups without the console's namespace, as libraries make them."""
    return [*list_log_in_urls(), path("login/", LogInPage.as_view(), name="account_login")]
