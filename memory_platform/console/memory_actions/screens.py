"""Base class of memory screens: buttons for acts on each page, and the same acts for chosen rows of a list."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memory_actions.act_page import ActPage, act_address
from memory_platform.console.memory_actions.acts import ACTS, Act, consolidation_of
from memory_platform.console.memory_actions.bulk import act_on_each
from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.base import SubjectOwnedAdmin
from memory_platform.console.shared.pages import own_path
from memory_platform.console.shared.reasons import ReasonedActions, needs_reason, reason_of
from snapshots.lifecycle.staff_actions.actions import Doing, Memory, is_held
from snapshots.lifecycle.staff_actions.undo import last_act


class ActingAdmin(SubjectOwnedAdmin):
    """A screen of memories with buttons and list actions for the acts of staff."""

    change_form_template = "console/act_page.html"
    action_form = ReasonedActions
    actions = ("confirm", "retire", "forget")

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        return [own_path("<uuid:object_id>/act/<slug:verb>/", self.act_view, name), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data and "original" in response.context_data:
            memory = self.memory_of(response.context_data["original"])
            response.context_data["acts"] = self.acts_on(request, memory)
        return response

    def act_view(self, request: HttpRequest, object_id: UUID, verb: str) -> HttpResponse:
        act = ACTS.get(verb)
        if act is None:
            raise Http404
        if not self._may(request, act.role):
            raise PermissionDenied
        row = self.get_object(request, str(object_id))
        if row is None or getattr(row, "version_of_id", None):
            return self._get_obj_does_not_exist_redirect(request, self.opts, str(object_id))  # type: ignore[attr-defined,no-any-return]
        memory = self.memory_of(row)
        if not act.is_for(memory):
            raise Http404
        return ActPage(self, request, act, memory).answer()

    def memory_of(self, row: Any) -> Memory:
        return row  # type: ignore[no-any-return]  # a row of one of the tables of memories

    def memories_of(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset

    def acts_on(self, request: HttpRequest, memory: Memory) -> list[dict[str, Any]]:
        """Return the buttons on a memory's page: the acts that its state and the role allow."""
        if getattr(memory, "version_of_id", None) or not any(self._may(request, act.role) for act in ACTS.values()):
            return []
        held = is_held(memory)
        can_undo = last_act(memory) is not None or consolidation_of(memory) is not None
        allowed = [act for act in ACTS.values() if self._may(request, act.role) and act.is_for(memory)]
        return [
            {"act": act, "address": act_address(memory, act.verb)}
            for act in allowed
            if (held or not act.held_only) and (can_undo or act.verb != "undo")
        ]

    @admin.action(description=_("Confirm: this is true"), permissions=["support"])
    @needs_reason
    def confirm(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._each(request, queryset, ACTS["confirm"])

    @admin.action(description=_("Retire: recall no longer finds it"), permissions=["support"])
    @needs_reason
    def retire(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._each(request, queryset, ACTS["retire"])

    @admin.action(description=_("Forget for good: erase every value it ever had"), permissions=["manager"])
    @needs_reason
    def forget(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Forget the chosen memories; several values of one belief count as one."""
        return self._each(request, queryset, ACTS["forget"])

    def _each(self, request: HttpRequest, queryset: QuerySet[Any], act: Act) -> HttpResponse | None:
        doing = Doing(actor_of(request), reason_of(request))
        return act_on_each(self, request, self.memories_of(queryset), act, doing)
