"""Refusals of the console: one look for every page, and one record in the trail of the tenant in which one works.

A row of another tenant and a row that does not exist are the same here: nothing that is shown, recorded or timed by our
own code depends on whether another tenant has it.
"""

import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.core.exceptions import FieldDoesNotExist, PermissionDenied, ValidationError
from django.db.models import ForeignKey, Model, Q, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from memory_platform.console.shared.after_commit_responses import respond_in_scope
from memory_platform.console.shared.custom_pages import is_operator, render_console_page
from memory_platform.console.shared.tenant_access import TenantDesk, make_actor
from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role, TenantOwned
from tenants.services.audit import record_refusal

UUID_PATTERN = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# What addresses call the id of their row.
ROW_ARGUMENTS = ("object_id", "id")
# Who erases something and goes back to its page does so soon.
SHOWN_LATELY = timedelta(hours=1)


def read_named_row(arguments: dict[str, Any]) -> str:
    """Return the id of the row in the arguments of an address; "" if it names none."""
    return next((str(arguments[name]) for name in ROW_ARGUMENTS if name in arguments), "")


def find_compared_model(model: type[Model], lookup: str) -> type[TenantOwned] | None:
    """Return the tenant-owned model whose ids a list's parameter compares; None for one that compares anything else."""
    for part in lookup.split(LOOKUP_SEP):
        if part in ("exact", "in"):
            continue
        try:
            field = model._meta.pk if part == "pk" else model._meta.get_field(part)
        except FieldDoesNotExist:
            return None
        if isinstance(field, ForeignKey):
            model = field.related_model
        elif not getattr(field, "primary_key", False):
            return None
    return model if issubclass(model, TenantOwned) else None


def flatten_values(values: Any) -> list[str]:
    return [text for value in values for text in (value if isinstance(value, list) else [str(value)])]


def note_missing_row(request: HttpRequest, row_id: Any) -> None:
    """Remember that the request named a row that the tenant does not have. The page goes on without it, and the site
    records the refusal after the page's transaction: one for a request, however many rows it named."""
    request.missing_row = str(row_id)  # type: ignore[attr-defined]  # read back by record_missing_row


def record_missing_row(request: HttpRequest, desk: TenantDesk) -> None:
    row_id = getattr(request, "missing_row", None)
    if row_id is not None:
        record_missing_page(request, desk, row_id)


def record_missing_page(request: HttpRequest, desk: TenantDesk, row_id: str) -> None:
    """Record that a row was asked for that the tenant does not have; nothing if the person was shown it lately, because
    it is gone since, and who goes back to its page looks for nobody else's."""
    if not was_shown_lately(request, desk, row_id):
        record_refused_page(request, desk, row_id)


def was_shown_lately(request: HttpRequest, desk: TenantDesk, row_id: str) -> bool:
    if not UUID_PATTERN.fullmatch(row_id):
        return False
    by = make_actor(request)
    with tenant_tx(desk.tenant.id):
        shown = AuditRecord.objects.filter(actor_kind=by.kind, actor_id=by.id, refused=False)
        same = Q(object_id=row_id) | Q(subject_ref=row_id)
        return shown.filter(same, at__gte=utc_now() - SHOWN_LATELY).exists()


def keep_existing_ids(request: HttpRequest, rows: QuerySet[Any], row_ids: Iterable[str]) -> list[str]:
    """Return those of the ids that ``rows`` has, as they were sent, and note one that it does not have."""
    sent = list(row_ids)
    wanted = {one: _parse_key(rows, one) for one in sent}
    held = set(
        rows.order_by().filter(pk__in=[key for key in wanted.values() if key is not None]).values_list("pk", flat=True)
    )
    missing = [one for one in sent if wanted[one] not in held]
    if missing:
        note_missing_row(request, missing[0])
    return [one for one in sent if wanted[one] in held]


def record_refused_page(request: HttpRequest, desk: TenantDesk, row_id: str, action: str = "console.page") -> None:
    """Record in the tenant's audit trail which page was refused, and the row id if the address has one. A missing page
    counts as well: its id may be another tenant's."""
    page = request.resolver_match.url_name if request.resolver_match else ""
    named = row_id if UUID_PATTERN.fullmatch(row_id) else ""
    record_refusal(desk.tenant.id, make_actor(request), action, object_kind=(page or "")[:64], object_id=named)


def respond_or_refuse(
    request: HttpRequest, desk: TenantDesk, row_id: str, view: Callable[..., Any], run: Callable[[], HttpResponse]
) -> HttpResponse:
    """Run a page outside of any scope. Record a refusal, and show it inside the console."""
    try:
        response = run()
    except Http404:
        record_missing_page(request, desk, row_id)
        return respond_in_scope(desk, lambda: _render_missing_page(request, desk))
    except PermissionDenied as refusal:
        record_refused_page(request, desk, row_id)
        what = str(refusal) or _choose_advice(request, desk, view)
        return respond_in_scope(desk, lambda: _render_forbidden_page(request, what))
    record_missing_row(request, desk)
    return response


def belongs_to_operator(view: Callable[..., Any]) -> bool:
    """Return whether a view, wrapped or not, is a method of a screen that is the operator's."""
    inner: Any = view
    while inner is not None:
        if getattr(getattr(inner, "__self__", None), "for_operator", False):
            return True
        inner = getattr(inner, "__wrapped__", None)
    return False


def _render_missing_page(request: HttpRequest, desk: TenantDesk) -> HttpResponse:
    advice = _("Check the address. What it shows may have been erased.")
    if len(desk.choices) > 1:
        advice = _("Check the address. What it shows may have been erased, or be in another of your tenants.")
    return render_console_page(
        request,
        "console/shared/refused_page.html",
        _("Not found"),
        status=HTTPStatus.NOT_FOUND,
        what=_("Nothing was found at this address in the tenant you work in."),
        advice=advice,
    )


def _render_forbidden_page(request: HttpRequest, what: str) -> HttpResponse:
    return render_console_page(
        request,
        "console/shared/refused_page.html",
        _("Not allowed"),
        status=HTTPStatus.FORBIDDEN,
        what=what,
    )


def _choose_advice(request: HttpRequest, desk: TenantDesk, view: Callable[..., Any]) -> str:
    if belongs_to_operator(view) and not is_operator(request):
        return _("Only a platform operator may see this page.")
    if desk.has_role(Role.MANAGER):
        return _("The console does not offer this, in any role.")
    return _("Your role in this tenant does not allow this. A manager of the tenant can change your role.")


def _parse_key(rows: QuerySet[Any], text: str) -> Any:
    """Return the primary key that ``text`` names; None if it cannot be one."""
    try:
        return rows.model._meta.pk.to_python(text)
    except ValidationError:
        return None
