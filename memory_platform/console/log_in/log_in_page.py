"""The log-in page."""

from http import HTTPStatus
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from memory_platform.console.log_in.allauth_adapters import TOO_MANY
from memory_platform.console.shared.custom_pages import check_console_page


class LogInForm(AdminAuthenticationForm):
    """User name and password. Failed attempts are counted by account and by address."""

    error_messages = {  # as Django declares it
        **AdminAuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("The user name or the password is wrong."),
    }

    @method_decorator(sensitive_variables())
    def clean(self) -> dict[str, Any]:
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if username and password:
            user = get_adapter(self.request).authenticate(self.request, username=username, password=password)
            if user is None:
                raise self.get_invalid_login_error()
            self.user_cache = user
        return self.cleaned_data


class LogInPage(LoginView):
    """Takes user name and password; somebody with a second factor is asked for a code next."""

    authentication_form = LogInForm
    template_name = "admin/login.html"

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        login = Login(user=user, redirect_url=self.get_success_url())
        response: HttpResponse = perform_password_login(self.request, {"username": user.get_username()}, login)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error("__all__", TOO_MANY):
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
        return response

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Return the page of the console that was wanted, else the start page."""
        name, request = self.redirect_field_name, request or self.request
        return check_console_page(request.POST.get(name, request.GET.get(name, "")))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        request: HttpRequest = self.request
        page = {
            "title": gettext_lazy("Log in"),
            "subtitle": None,
            "app_path": request.path,
            "has_mail": bool(settings.EMAIL_URL),
            "has_provider": bool(settings.CONSOLE_OIDC_ISSUER),
        }
        return {**super().get_context_data(**kwargs), **admin.site.each_context(request), **page}
