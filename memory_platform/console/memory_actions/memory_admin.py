"""Base class of memory screens: buttons for acts on each page, and the same acts for chosen rows of a list."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memory_actions.action_page import StaffActionPage, build_action_address
from memory_platform.console.memory_actions.actions import (
    MAIN_VERB,
    STAFF_ACTIONS,
    StaffAction,
    find_undoable_consolidation,
)
from memory_platform.console.memory_actions.bulk_actions import run_action_on_rows
from memory_platform.console.memory_actions.empty_field_hiding import hide_empty_fields
from memory_platform.console.memory_actions.memory_states import (
    find_memory_state,
    find_state_start,
    mark_retired_beliefs,
)
from memory_platform.console.memory_actions.memory_story import build_memory_story, hide_undo
from memory_platform.console.shared.action_reasons import ReasonedActionForm, read_reason, require_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.custom_pages import make_console_path
from memory_platform.console.shared.headers.memory_sentences import describe_memory, load_subject_name
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.list_filters import StateFilter
from memory_platform.console.shared.lists.change_lists import SubjectRowsChangeList
from memory_platform.console.shared.note_and_state_labels import CURRENT
from memory_platform.console.shared.status_badges import StatusBadge, get_memory_badge
from memory_platform.console.shared.tenant_access import make_actor
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, ActedMemory, is_in_use
from snapshots.lifecycle.staff_actions.undo_act import find_last_act
from snapshots.models import MemoryAct, Note
from tenants.models import AuditRecord

COLUMNS_OF_THE_PAST = ("state", "invalid_at")
# What stands beside "More"; everything else is below it.
FIRST_VERBS = (MAIN_VERB, "retire")


class MemoryChangeList(SubjectRowsChangeList):
    """A list of memories that tells the retired ones from those that have ended."""

    def complete_rows(self, rows: Sequence[Any]) -> None:
        mark_retired_beliefs(rows)


class StaffActionAdmin(SubjectOwnedAdmin):
    """A screen of memories with buttons and list actions for the acts of staff."""

    change_form_template = "console/memory_actions/memory_page.html"
    action_form = ReasonedActionForm
    actions = ("confirm", "retire", "forget")

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        return [make_console_path("<path:object_id>/act/<slug:verb>/", self.act_view, name), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data and "original" in response.context_data:
            original = response.context_data["original"]
            memory = self.memory_of(original)
            mark_retired_beliefs([memory])
            story = build_memory_story(memory, original if isinstance(original, Note) else None)
            may_undo = self.has_support_permission(request) and not getattr(memory, "version_of_id", None)
            response.context_data["story"] = story if may_undo else hide_undo(story)
            response.context_data["undo_address"] = build_action_address(memory, "undo")
            hide_empty_fields(response.context_data)
        return response

    def act_view(self, request: HttpRequest, object_id: str, verb: str) -> HttpResponse:
        act = STAFF_ACTIONS.get(verb)
        if act is None:
            raise Http404
        if not self._has_role(request, act.role):
            raise PermissionDenied
        row = self.get_or_404(request, object_id)
        if getattr(row, "version_of_id", None):
            raise Http404
        memory = self.memory_of(row)
        page = StaffActionPage(self, request, act, memory)
        if act.applies_to(memory):
            return page.respond_to_request()
        if request.method == "POST" and act.needs_mentions:  # sent twice, and the first form left none
            return page.report_already_done()
        raise Http404

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns. Of current memories none says that they are current, and when they ended."""
        columns = super().get_list_display(request)
        if (request.GET.get(StateFilter.parameter_name) or CURRENT) != CURRENT:
            return columns
        return [one for one in columns if getattr(one, "__name__", one) not in COLUMNS_OF_THE_PAST]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return MemoryChangeList

    def memory_of(self, row: Any) -> ActedMemory:
        return row  # type: ignore[no-any-return]  # a row of one of the tables of memories

    def load_memories(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset

    def describe_row(self, obj: Any) -> str:
        return describe_memory(obj, load_subject_name(obj.subject))

    def get_badge(self, obj: Any) -> StatusBadge | None:
        memory = self.memory_of(obj)
        mark_retired_beliefs([memory])
        return get_memory_badge(find_memory_state(memory), is_outdated=getattr(obj, "possibly_outdated", False))

    def list_facts(self, obj: Any) -> Sequence[Any]:
        memory: Any = self.memory_of(obj)
        return (
            subject_column(obj),
            memory.get_provenance_display(),
            make_time_fact(_("since %s"), find_state_start(memory, find_memory_state(memory))),
        )

    def list_acts(self, request: HttpRequest, obj: Any) -> Sequence[HeaderAct]:
        memory = self.memory_of(obj)
        acts = [
            HeaderAct(
                act.label,
                build_action_address(memory, act.verb),
                is_main=act.verb == MAIN_VERB,
                is_grave=act.is_grave,
                is_minor=act.verb not in FIRST_VERBS,
            )
            for act in self.list_possible_actions(request, memory)
        ]
        first = sorted(acts, key=lambda act: not act.is_main)
        return [*first, *(replace(act, is_minor=bool(acts)) for act in super().list_acts(request, obj))]

    def list_audit_records(self, obj: Any) -> QuerySet[AuditRecord]:
        """Return the records about the memory under each id that it has had: a correction may leave it in a new row."""
        memory: Any = self.memory_of(obj)
        joined = MemoryAct.objects.filter(
            Q(memory_ref=memory.pk) | Q(other_ref=memory.pk), subject_id=memory.subject_id, other_ref__isnull=False
        )
        ids = {memory.pk, getattr(memory, "value_id", memory.pk)}
        ids |= {ref for pair in joined.values_list("memory_ref", "other_ref") for ref in pair}
        return AuditRecord.objects.filter(subject_ref=memory.subject_id, object_id__in=[str(one) for one in ids])

    def list_possible_actions(self, request: HttpRequest, memory: ActedMemory) -> list[StaffAction]:
        """Return the actions that the memory's state and the person's role allow."""
        if getattr(memory, "version_of_id", None) or not any(
            self._has_role(request, act.role) for act in STAFF_ACTIONS.values()
        ):
            return []
        held = is_in_use(memory)
        can_undo = find_last_act(memory) is not None or find_undoable_consolidation(memory) is not None
        allowed = [
            act for act in STAFF_ACTIONS.values() if self._has_role(request, act.role) and act.applies_to(memory)
        ]
        return [act for act in allowed if (held or not act.needs_held_memory) and (can_undo or act.verb != "undo")]

    @admin.action(description=_("Confirm: this is true"), permissions=["support"])
    @require_reason
    def confirm(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._run_on_rows(request, queryset, STAFF_ACTIONS["confirm"])

    @admin.action(description=_("Retire: recall no longer finds it"), permissions=["support"])
    @require_reason
    def retire(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._run_on_rows(request, queryset, STAFF_ACTIONS["retire"])

    @admin.action(description=_("Forget for good: erase every value it ever had"), permissions=["manager"])
    @require_reason
    def forget(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Forget the chosen memories; several values of one belief count as one."""
        return self._run_on_rows(request, queryset, STAFF_ACTIONS["forget"])

    def _run_on_rows(self, request: HttpRequest, queryset: QuerySet[Any], act: StaffAction) -> HttpResponse | None:
        doing = ActContext(make_actor(request), read_reason(request))
        return run_action_on_rows(self, request, self.load_memories(queryset), act, doing)
