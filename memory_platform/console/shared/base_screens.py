"""Base classes of screens: rights by role, an audit trail instead of Django's log, read-only by default."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, NoReturn

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.db import models
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.shared.action_reasons import is_action_refused, read_reason, restore_refused_choice
from memory_platform.console.shared.audit.audit_sentences import load_audit_trail
from memory_platform.console.shared.custom_pages import is_operator, render_console_page
from memory_platform.console.shared.headers.headed_pages import HeadedPages, NamedButtons
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.headers.relative_times import RelativeTimes
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.lists.change_lists import (
    BoundedPaginator,
    SafeChangeList,
    SubjectRowsChangeList,
    is_whole_tenant_list,
)
from memory_platform.console.shared.refusals import keep_existing_ids
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.shared.value_rendering import MAX_LINE_CHARS, make_column, render_row_link
from profiles.models import Subject
from tenants.models import AuditRecord, Role
from tenants.services.audit import record_audit

MAX_HISTORY_RECORDS = 200
DATE_PARTS = ("year", "month", "day")

subject_column = make_column(
    "subject", lambda subject: render_row_link(subject, subject.external_id), gettext_lazy("person")
)


@dataclass(frozen=True, slots=True)
class TitledRow:
    """A row under the title of its page, for checkboxes and messages: ``str(row)`` is made for logs."""

    row: Any
    title: str

    def __str__(self) -> str:
        return self.title

    def __getattr__(self, name: str) -> Any:
        return getattr(self.row, name)


class SafeLookupAdmin(NamedButtons, RelativeTimes, admin.ModelAdmin[Any]):
    """Screens whose lists refuse addresses that would harm the database: regular expressions and NUL characters."""

    show_facets = admin.ShowFacets.NEVER
    # What the foot of a list says ("%(count)d answers"); None for the model's name.
    count_text: ClassVar[Any] = None
    # Whether the search above the list is that of the header, which finds people.
    finds_people: ClassVar[bool] = False
    # Whether the filters of the list are shown only when somebody opens them, also where there is room.
    folds_filters: ClassVar[bool] = False
    # Whether somebody who needs a support session needs it here.
    shows_people: bool = False
    # Whether the screen is the operator's, whatever role somebody has in a tenant.
    for_operator: ClassVar[bool] = False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        values = value if isinstance(value, list) else [value]
        # A regular expression can keep the database busy, and Postgres refuses NUL.
        if lookup.endswith("regex") or any("\x00" in str(each) for each in values):
            return False
        return super().lookup_allowed(lookup, value, request)  # type: ignore[arg-type]  # Django allows None until 6.0

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SafeChangeList

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_fields(request, obj)
        if self.has_change_permission(request, obj):
            return fields
        return [name for name in fields if name != "reason"]

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> NoReturn:
        """Respond 404, which the site records: the id may be another tenant's. Django redirects to the start page."""
        raise Http404

    def get_or_404(self, request: HttpRequest, object_id: Any) -> Any:
        found = self.get_object(request, str(object_id))
        if found is None:
            raise Http404
        return found

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        """Run an action on the chosen rows that are there. An id that is not there is noted, and may be malformed."""
        sent = request.POST.getlist(ACTION_CHECKBOX_NAME)
        held = keep_existing_ids(request, self.get_queryset(request), sent)
        if len(held) == len(sent):
            return super().response_action(request, queryset, *args, **kwargs)
        if not held:
            text = _("Nothing was done: none of the chosen rows is in this tenant.")
            self.message_user(request, text, messages.WARNING)
            return redirect(request.get_full_path())
        text = ngettext(
            "%(count)d chosen row is not in this tenant and was left out.",
            "%(count)d chosen rows are not in this tenant and were left out.",
            len(sent) - len(held),
        )
        self.message_user(request, text % {"count": len(sent) - len(held)}, messages.WARNING)
        kept: Any = request.POST.copy()
        kept.setlist(ACTION_CHECKBOX_NAME, held)
        request.POST = kept
        return super().response_action(request, queryset, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = {"title": capfirst(str(self.opts.verbose_name_plural))}
        return super().changelist_view(request, {**title, **(extra_context or {})})


class TenantAdmin(HeadedPages, SafeLookupAdmin):
    """A screen of tenant-owned rows, read-only unless a subclass names the role that may write. Opening a list or a row
    of personal data leaves an audit record; so does every change."""

    view_role: ClassVar[Role] = Role.VIEWER
    add_role: ClassVar[Role | None] = None
    change_role: ClassVar[Role | None] = None
    delete_role: ClassVar[Role | None] = None
    personal_data: ClassVar[bool] = True
    names_subjects: ClassVar[bool] = False
    # Whether the functions that change the rows record it: then the screen does not record the same act again.
    changes_are_recorded: ClassVar[bool] = False
    list_per_page = 50
    show_full_result_count = False
    actions_on_bottom = False

    @property
    def shows_people(self) -> bool:  # type: ignore[override]  # told by two others
        return self.personal_data or self.names_subjects

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if self.fieldsets and self.change_role is None:
            return flatten_fieldsets(self.fieldsets)
        return super().get_readonly_fields(request, obj)

    def action_checkbox(self, obj: Any) -> SafeString:
        # The default name is ``str(row)``, which is made for logs and names nobody.
        box = super().action_checkbox(self._add_title(obj))
        if getattr(obj, "is_chosen", False):
            # Titles are escaped, so the first type is the box's own.
            box = SafeString(box.replace('type="checkbox"', 'type="checkbox" checked', 1))
        return box

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return super().response_add(request, self._add_title(obj), post_url_continue)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return super().response_change(request, self._add_title(obj))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Keep the title of a row that is about to be deleted, for the message afterwards."""
        request.deleted_title = str(self._add_title(objs[0]))  # type: ignore[attr-defined]  # read by response_delete
        return super().get_deleted_objects(objs, request)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: Any) -> HttpResponse:
        return super().response_delete(request, getattr(request, "deleted_title", obj_display), obj_id)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._has_role(request, self.view_role)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._has_role(request, self.view_role)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._has_role(request, self.add_role)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._has_role(request, self.change_role)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._has_role(request, self.delete_role)

    def has_support_permission(self, request: HttpRequest) -> bool:
        return self._has_role(request, Role.SUPPORT)

    def has_manager_permission(self, request: HttpRequest) -> bool:
        return self._has_role(request, Role.MANAGER)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, or run an action. One that was refused shows its rows and reason again."""
        self._record_access(request, "listed")
        response = super().changelist_view(request, extra_context)
        if not is_action_refused(request) or response.status_code != HTTPStatus.FOUND:
            return response
        again = copy(request)
        again.method = "GET"
        response = super().changelist_view(again, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data:
            restore_refused_choice(request, response.context_data)
        return response

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data and "original" in response.context_data:
            obj = response.context_data["original"]
            response.context_data |= {"title": self.name_kind(), "header": self.build_header(request, obj)}
            if request.method == "GET":
                self._record_access(request, "viewed", obj)
        return response

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the audit trail of the row. Django's own log is not used, because all tenants would share it."""
        obj = self.get_or_404(request, object_id)
        self._record_access(request, "history_viewed", obj)
        return render_console_page(
            request,
            "console/shared/object_history.html",
            _("Audit trail"),
            subtitle=Truncator(self.describe_row(obj)).chars(MAX_LINE_CHARS),
            trail=load_audit_trail(self.list_audit_records(obj), request, MAX_HISTORY_RECORDS),
            object=obj,
            opts=self.opts,
            preserved_filters=self.get_preserved_filters(request),
        )

    def get_actions(self, request: HttpRequest) -> Any:
        """Remove Django's own bulk deletion: it asks for no reason."""
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    def show_count(self, request: HttpRequest, text: str, count: int) -> None:
        """Show how many rows an action changed, as a warning if it changed no row."""
        self.message_user(request, text % {"count": count}, messages.SUCCESS if count else messages.WARNING)

    def audit_id_of(self, obj: Any) -> str:
        return str(obj.pk)

    def list_audit_records(self, obj: Any) -> QuerySet[AuditRecord]:
        return AuditRecord.objects.filter(object_kind=self.opts.db_table, object_id=self.audit_id_of(obj))

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self._record_change(request, "added", obj)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self._record_change(request, "changed", obj)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Any]) -> Any:
        for obj in queryset:
            self._record_change(request, "deleted", obj)

    def _add_title(self, obj: Any) -> Any:
        return TitledRow(obj, Truncator(self.title_of(obj)).chars(MAX_LINE_CHARS))

    def _has_role(self, request: HttpRequest, role: Role | None) -> bool:
        desk = current_desk(request)
        return role is not None and desk is not None and desk.has_role(role)

    def _record_change(self, request: HttpRequest, verb: str, obj: Any) -> None:
        if not self.changes_are_recorded:
            self._record_access(request, verb, obj, always=True)

    def _record_access(self, request: HttpRequest, verb: str, obj: Any = None, *, always: bool = False) -> None:
        if always or self.personal_data:
            table = self.opts.db_table
            record_audit(
                make_actor(request),
                f"{table}.{verb}",
                object_kind=table,
                object_id=self.audit_id_of(obj) if obj else "",
                subject_ref=obj.pk if isinstance(obj, Subject) else getattr(obj, "subject_id", None),
                reason=read_reason(request),
            )


class CreateOnlyAdmin(TenantAdmin):
    """A screen whose rows are created by a form with the fields ``asked``, and afterwards only shown as ``shown``."""

    page_fieldsets: ClassVar[tuple[Any, ...]]
    form_fieldsets: ClassVar[tuple[Any, ...]]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.page_fieldsets if obj else self.form_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return flatten_fieldsets(self.page_fieldsets) if obj else ()


class SubjectOwnedAdmin(TenantAdmin):
    """A screen of rows that belong to subjects: searched by subject id, and linked from the subject's page.
    ``sorts_whole_tenant``: whether the rows of a whole tenant may be sorted by another column; False for large tables.
    """

    names_subjects = True
    sorts_whole_tenant: ClassVar[bool] = True
    list_select_related: ClassVar[Any] = ("subject",)
    list_filter: ClassVar[Any] = (SubjectFilter,)

    def list_facts(self, obj: Any) -> Sequence[Any]:
        return (subject_column(obj),)

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).select_related(*self.list_select_related)
        return rows.filter(subject__erasing=False)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SubjectRowsChangeList

    def get_paginator(self, request: HttpRequest, queryset: Any, per_page: int, *args: Any, **kwargs: Any) -> Any:
        kind = BoundedPaginator if is_whole_tenant_list(request) else self.paginator
        return kind(queryset, per_page, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list. Parameters that need a narrowed list are removed when the subject filter is removed."""
        kept = request.GET.copy()
        for name in [name for name in kept if is_whole_tenant_list(request) and self._needs_narrowed_list(name)]:
            del kept[name]
        if request.method == "GET" and len(kept) < len(request.GET):
            return redirect(f"{request.path}?{kept.urlencode()}" if kept else request.path)
        return super().changelist_view(request, extra_context)

    def _needs_narrowed_list(self, parameter: str) -> bool:
        """Return whether the parameter is a part of the date hierarchy, or another order of a large table."""
        part_of_date = parameter.removeprefix(f"{self.date_hierarchy}__")
        filters = [name[0] if isinstance(name, tuple) else name for name in self.list_filter]
        dated = part_of_date != parameter
        return (dated and (self.date_hierarchy not in filters or part_of_date in DATE_PARTS)) or (
            parameter == ORDER_VAR and not self.sorts_whole_tenant
        )

    def get_sortable_by(self, request: HttpRequest) -> Any:
        """Return the sortable columns: none for a whole tenant's rows of a large table."""
        return super().get_sortable_by(request) if self.sorts_whole_tenant or not is_whole_tenant_list(request) else ()


class OperatorAdmin(HeadedPages, SafeLookupAdmin):
    """A screen of platform-wide rows for the operator (superuser); tenant staff may view it if ``staff_may_view``."""

    for_operator = True
    staff_may_view: ClassVar[bool] = False
    machine_written: ClassVar[bool] = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.staff_may_view or is_operator(request)

    def has_operator_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return is_operator(request) and not self.machine_written

    has_add_permission = has_change_permission = has_delete_permission = has_operator_permission

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        shown = {"header": self.build_header(request, row), "title": self.name_kind()} if row is not None else {}
        return super().change_view(request, object_id, form_url, {**shown, **(extra_context or {})})

    def list_acts(self, request: HttpRequest, obj: Any) -> Sequence[HeaderAct]:
        return ()  # the platform's rows have no audit trail; its log names them

    def list_ids(self, obj: Any) -> Sequence[tuple[Any, str]]:
        return ()
