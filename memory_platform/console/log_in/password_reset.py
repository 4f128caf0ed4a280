"""Forgotten passwords: a link by mail, when a mail server is configured."""

from collections.abc import Callable
from functools import wraps
from threading import Thread
from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import get_language, override
from django.views.decorators.cache import never_cache

from memory_platform.console.log_in.oidc_views import is_over_tls


class MailedLinkForm(PasswordResetForm):
    """Mails the link beside the answer, which therefore takes as long for an unknown address as for a known one."""

    def send_mail(self, *args: Any, **kwargs: Any) -> None:
        language = get_language()

        def send() -> None:
            with override(language):
                super(MailedLinkForm, self).send_mail(*args, **kwargs)

        Thread(target=send, name="password-reset-mail").start()


class ResetPage:
    """Shows a view of Django in the frame of the console. Comes first among the bases."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        request: HttpRequest = self.request  # type: ignore[attr-defined]  # every view has it
        context = super().get_context_data(**kwargs)  # type: ignore[misc]  # of the view
        return {**admin.site.each_context(request), "is_nav_sidebar_enabled": False, **context}


class AskForLinkPage(ResetPage, views.PasswordResetView):
    form_class = MailedLinkForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if refused := ratelimit.consume_or_429(request, action="reset_password"):
            return refused  # type: ignore[no-any-return]  # the library carries no types
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> Any:
        form.save(
            request=self.request,
            use_https=is_over_tls(self.request),
            email_template_name=self.email_template_name,
            subject_template_name=self.subject_template_name,
        )
        return super(views.PasswordResetView, self).form_valid(form)


class LinkSentPage(ResetPage, views.PasswordResetDoneView): ...


class NewPasswordPage(ResetPage, views.PasswordResetConfirmView): ...


class PasswordIsSetPage(ResetPage, views.PasswordResetCompleteView): ...


def require_mail_server(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Make a view that is there only when a mail server is configured."""

    @never_cache
    @wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EMAIL_URL:
            raise Http404
        return view(request, *args, **kwargs)

    return run
