"""Screens of the work queue: what waits, what is dead and can be replayed."""

from django.contrib import admin

from memory_platform.console.snapshots import OfSubject
from snapshots.models import Work


@admin.register(Work)
class WorkScreen(OfSubject):
    """Work items; the dead ones stay visible until they are replayed."""

    personal_data = False
    list_display = ("created_at", "subject_id_shown", "kind", "state", "attempts", "due_at", "error_code", "done_at")
    list_filter = ("state", "kind", "error_code", "created_at")
    search_fields = ("subject__external_id", "id")
    ordering = ("-created_at", "-position")
