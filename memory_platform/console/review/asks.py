"""The screen of questions that products were told to ask, and their outcome."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.display import column, part, word
from memory_platform.console.shared.filters import OfSubject
from profiles.models import Ask


@admin.register(Ask)
class AskScreen(SubjectOwnedAdmin):
    """Questions to subjects. The answers are in profile, tags and preferences."""

    list_display = (
        "asked_at",
        subject_shown,
        column("question", word, _("question")),
        "priority",
        "accepted",
        column("conversation", word, _("conversation id"), order="conversation"),
    )
    list_filter = (OfSubject, "accepted", "priority", "key", "asked_at")
    search_fields = ("subject__external_id", "conversation", "key")
    search_help_text = _("Subject id, conversation id or what was asked for")
    date_hierarchy = "asked_at"
    ordering = ("-asked_at", "-id")
    fieldsets = (
        part(None, subject_shown, column("question", word, _("question")), "key", "priority"),
        part(None, "accepted", column("conversation", word, _("conversation id"))),
        part(_("Times"), "asked_at", "answered_at"),
        part(_("More"), "id"),
    )

    def title_of(self, obj: Ask) -> str:
        return obj.question
