"""The screen of files that models keep about people: read by staff, deleted by support."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import is_reason_missing, read_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import make_column, make_fieldset, render_line, render_text
from snapshots.memory_files.commands import delete_file
from snapshots.models import MemoryFile
from tenants.models import Role


@admin.register(MemoryFile)
class MemoryFileScreen(SubjectOwnedAdmin):
    """Files of models, by path. Models write them; staff can only read and delete them."""

    delete_role = Role.SUPPORT
    actions = None
    delete_confirmation_template = "console/shared/delete_with_reason.html"
    list_display = (
        make_column("path", render_line, _("path"), order="path"),
        subject_column,
        "version",
        "updated_at",
    )
    count_text = ngettext_lazy("%(count)d memory file", "%(count)d memory files", "count")
    empty_text = _("Files that an assistant keeps with Anthropic's memory tool stand here. There is none yet.")
    list_filter = (SubjectFilter,)
    search_fields = ("subject__external_id", "path")
    search_help_text = _("Id of a person or path")
    ordering = ("-updated_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, make_column("path", render_line, _("path")), "version"),
        make_fieldset(_("Content"), make_column("text", render_text, _("text"))),
        make_fieldset(_("More"), "id", "created_at", "updated_at"),
    )

    def title_of(self, obj: MemoryFile) -> str:
        return obj.path

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "POST" and self.has_delete_permission(request) and is_reason_missing(self, request):
            return redirect(request.path)
        row = self.get_or_404(request, object_id)
        what = format_html(
            gettext("{} and its text are deleted at once. The assistant reads it no more."),
            format_html("<bdi><b>{}</b></bdi>", row.path),
        )
        return super().delete_view(request, object_id, {"removed": row.path, "what": what, **(extra_context or {})})

    def delete_model(self, request: HttpRequest, obj: MemoryFile) -> None:
        delete_file(obj, make_actor(request), read_reason(request))

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Any]) -> Any:
        """Record nothing: deleting a file does."""
