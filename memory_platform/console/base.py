"""What the console's screens share: rights by role, an audit trail instead of Django's log, no writes by default."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.contrib import admin
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from memory_platform.console.access import actor_of, current_desk
from tenants.models import AuditRecord, Role
from tenants.services.audit import record_audit


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One audit record in the shape that Django's history template reads."""

    action_time: datetime
    user: str
    get_change_message: str


class TenantAdmin(admin.ModelAdmin[Any]):
    """A screen of tenant-owned rows, read-only unless a subclass names the role that may write.

    Opening a list or a row of personal data leaves an audit record; so does every change.
    """

    add_role: ClassVar[Role | None] = None
    change_role: ClassVar[Role | None] = None
    delete_role: ClassVar[Role | None] = None
    personal_data: ClassVar[bool] = True
    list_per_page = 50
    show_full_result_count = False
    actions_on_bottom = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return current_desk(request) is not None

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may(request, Role.VIEWER)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may(request, self.add_role)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may(request, self.change_role)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may(request, self.delete_role)

    def has_support_permission(self, request: HttpRequest) -> bool:
        """Right for actions declared with ``permissions=["support"]``."""
        return self._may(request, Role.SUPPORT)

    def has_manager_permission(self, request: HttpRequest) -> bool:
        """Right for actions declared with ``permissions=["manager"]``."""
        return self._may(request, Role.MANAGER)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        self._note(request, "listed")
        return super().changelist_view(request, extra_context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        if request.method == "GET" and response.status_code == 200:  # noqa: PLR2004 - shown, not redirected
            self._note(request, "viewed", object_id)
        return response

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the audit trail of the row; Django's own log is shared by all tenants and is not used."""
        obj = self.get_object(request, object_id)
        if obj is None:
            raise Http404
        records = AuditRecord.objects.filter(object_kind=self.opts.db_table, object_id=str(obj.pk))
        lines = [HistoryLine(r.at, f"{r.actor_kind}:{r.actor_id}", f"{r.action} {r.reason}") for r in records[:200]]
        context = {
            **self.admin_site.each_context(request),
            "title": _("Audit trail"),
            "subtitle": None,
            "action_list": lines,
            "object": obj,
            "opts": self.opts,
            "module_name": self.opts.verbose_name_plural,
            "preserved_filters": self.get_preserved_filters(request),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "console/object_history.html", context)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self._note(request, "added", str(obj.pk), always=True)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self._note(request, "changed", str(obj.pk), always=True)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Any]) -> Any:
        for obj in queryset:
            self._note(request, "deleted", str(obj.pk), always=True)

    def _may(self, request: HttpRequest, role: Role | None) -> bool:
        desk = current_desk(request)
        return role is not None and desk is not None and desk.may(role)

    def _note(self, request: HttpRequest, verb: str, object_id: str = "", *, always: bool = False) -> None:
        if always or self.personal_data:
            table = self.opts.db_table
            record_audit(actor_of(request), f"{table}.{verb}", object_kind=table, object_id=object_id[:64])


class OperatorAdmin(admin.ModelAdmin[Any]):
    """A screen of platform-wide rows for the operator (superuser); tenant staff may look where ``staff_may_view``."""

    staff_may_view: ClassVar[bool] = False
    machine_written: ClassVar[bool] = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.staff_may_view or self._is_operator(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may_write(request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may_write(request)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may_write(request)

    def _may_write(self, request: HttpRequest) -> bool:
        return self._is_operator(request) and not self.machine_written

    def _is_operator(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_superuser", False))
