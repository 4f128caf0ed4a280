"""Screens of the work queue: what waits, what is dead and can be replayed."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.access import actor_of
from memory_platform.console.snapshots import OfSubject
from snapshots.models import Work
from snapshots.queue.replay import replay_work


@admin.register(Work)
class WorkScreen(OfSubject):
    """Work items; the dead ones stay visible until they are replayed."""

    personal_data = False
    list_display = ("created_at", "subject_id_shown", "kind", "state", "attempts", "due_at", "error_code", "done_at")
    list_filter = ("state", "kind", "error_code", "created_at")
    search_fields = ("subject__external_id", "id")
    ordering = ("-created_at", "-position")
    actions = ("replay",)

    @admin.action(description=_("Replay: give dead items all their attempts again"), permissions=["support"])
    def replay(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        """Replay the chosen items that are dead; say how many were, so that nobody waits for the others."""
        replayed = sum(replay_work(work, by=actor_of(request)) for work in queryset)
        text = ngettext("%(count)d item is being replayed.", "%(count)d items are being replayed.", replayed)
        self.message_user(request, text % {"count": replayed}, messages.SUCCESS if replayed else messages.WARNING)
