"""The screen of questions that products were told to ask, and their outcome."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.rendering import make_column, make_fieldset, render_word
from profiles.models import Ask


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
    search_help_text = _("Subject id, conversation id or what was asked for")
    date_hierarchy = "asked_at"
    ordering = ("-asked_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, make_column("question", render_word, _("question")), "key", "priority"),
        make_fieldset(None, "accepted", make_column("conversation", render_word, _("conversation id"))),
        make_fieldset(_("Times"), "asked_at", "answered_at"),
        make_fieldset(_("More"), "id"),
    )

    def title_of(self, obj: Ask) -> str:
        return obj.question
