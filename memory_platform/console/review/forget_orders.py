"""The screen of orders to forget. Until the memories are erased, support can bring them back."""

from functools import partial

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.review.maintenance import act_on_rows
from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.display import column, link_to, part
from memory_platform.console.shared.filters import OfSubject
from memory_platform.console.shared.reasons import ReasonedActions, needs_reason, reason_of
from profiles.models import Erasure
from snapshots.forgetting.undo import undo_forget_order
from snapshots.models import ForgetOrder, ForgetOrderState


@admin.register(ForgetOrder)
class ForgetOrderScreen(SubjectOwnedAdmin):
    """Orders to forget: when, how many memories, and the outcome. No words of them are shown."""

    list_display = ("created_at", subject_shown, "state", column("items", len, _("memories")), "erase_at", "decided_at")
    list_filter = (OfSubject, "state", "created_at")
    search_fields = ("subject__external_id", "message_ref")
    search_help_text = _("Subject id or message id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, subject_shown, "state", column("items", len, _("memories"))),
        part(_("Times"), "created_at", "erase_at", "decided_at"),
        part(_("More"), "id", column("erasure_ref", lambda row_id: link_to(Erasure, row_id), _("erasure"))),
    )
    action_form = ReasonedActions
    actions = ("bring_back",)

    @admin.action(description=_("Bring back: restore the memories as they were"), permissions=["support"])
    @needs_reason
    def bring_back(self, request: HttpRequest, queryset: QuerySet[ForgetOrder]) -> None:
        undo = partial(undo_forget_order, by=actor_of(request), reason=reason_of(request))
        done = act_on_rows(queryset.filter(state=ForgetOrderState.WITHHELD), lambda row: undo(row.subject, row.id))
        text = ngettext("%(count)d order was undone.", "%(count)d orders were undone.", done)
        self.report_count(request, text, done)
