"""The screens of forget orders and of questions to users."""

from functools import partial

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.review.memory_maintenance_screens import run_on_rows
from memory_platform.console.shared.action_reasons import ReasonedActionForm, read_reason, require_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import make_column, make_fieldset, render_link, render_word
from profiles.models import Ask, Erasure
from snapshots.forgetting.undo_order import undo_forget_order
from snapshots.models import ForgetOrder, ForgetOrderState


@admin.register(Ask)
class AskScreen(SubjectOwnedAdmin):
    """Questions to subjects. The answers are in profile, tags and preferences."""

    list_display = (
        "asked_at",
        subject_column,
        make_column("question", render_word, _("question")),
        "priority",
        "accepted",
        make_column("conversation", render_word, _("conversation id"), order="conversation"),
    )
    list_filter = (SubjectFilter, "accepted", "priority", "key", "asked_at")
    search_fields = ("subject__external_id", "conversation", "key")
    search_help_text = _("Id of a person or conversation, or what was asked for")
    date_hierarchy = "asked_at"
    empty_text = _(
        "When a fact is not certain, the assistant is told to ask the person. It has not asked anything yet."
    )
    ordering = ("-asked_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, make_column("question", render_word, _("question")), "key", "priority"),
        make_fieldset(None, "accepted", make_column("conversation", render_word, _("conversation id"))),
        make_fieldset(_("Times"), "asked_at", "answered_at"),
        make_fieldset(_("More"), "id"),
    )

    def title_of(self, obj: Ask) -> str:
        return obj.question


@admin.register(ForgetOrder)
class ForgetOrderScreen(SubjectOwnedAdmin):
    """Orders to forget: when, how many memories, and the outcome. No words of them are shown."""

    list_display = (
        "created_at",
        subject_column,
        "state",
        make_column("items", len, _("memories")),
        "erase_at",
        "decided_at",
    )
    list_filter = (SubjectFilter, "state", "created_at")
    search_fields = ("subject__external_id", "message_ref")
    search_help_text = _("Id of a person or message")
    date_hierarchy = "created_at"
    empty_text = _(
        "What people ask the assistant to forget stands here, with what was hidden because of it. Nobody has asked."
    )
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, "state", make_column("items", len, _("memories"))),
        make_fieldset(_("Times"), "created_at", "erase_at", "decided_at"),
        make_fieldset(
            _("More"), "id", make_column("erasure_ref", lambda row_id: render_link(Erasure, row_id), _("erasure"))
        ),
    )
    action_form = ReasonedActionForm
    actions = ("bring_back",)

    @admin.action(description=_("Bring back: restore the memories as they were"), permissions=["support"])
    @require_reason
    def bring_back(self, request: HttpRequest, queryset: QuerySet[ForgetOrder]) -> None:
        undo = partial(undo_forget_order, by=make_actor(request), reason=read_reason(request))
        done = run_on_rows(queryset.filter(state=ForgetOrderState.WITHHELD), lambda row: undo(row.subject, row.id))
        text = ngettext("%(count)d order was undone.", "%(count)d orders were undone.", done)
        self.show_count(request, text, done)
