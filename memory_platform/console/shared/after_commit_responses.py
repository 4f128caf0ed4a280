"""Responses that are made after the page's transaction: calls of models, and work that opens scopes of its own."""

from collections.abc import Callable

from django.db import transaction
from django.http import HttpResponse
from django.template.response import TemplateResponse

from memory_platform.console.shared.tenant_access import TenantDesk
from tenants.isolation import tenant_tx


class AfterCommitResponse(HttpResponse):
    """A placeholder response: ``answer`` makes the real one once the page's transaction is committed."""

    def __init__(self, make_response: Callable[[], HttpResponse]) -> None:
        super().__init__()
        self._make_response = make_response

    def answer(self) -> HttpResponse:
        """Return the real response, with the headers that decorators gave the placeholder, such as ``no-store``."""
        response = self._make_response()
        for name, value in self.items():
            response.headers.setdefault(name, value)
        return response


def respond_in_scope(desk: TenantDesk, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Run and render a view in one transaction of the desk's tenant. An error response rolls it back."""
    with tenant_tx(desk.tenant.id):
        response = view()
        if isinstance(response, TemplateResponse):
            response.render()  # templates query too: they must do it inside the tenant
        if response.status_code >= 400:  # noqa: PLR2004 - client errors and worse
            # Half of a refused act must not stay.
            transaction.set_rollback(True)
    return response.answer() if isinstance(response, AfterCommitResponse) else response
