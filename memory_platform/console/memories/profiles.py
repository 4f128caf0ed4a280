"""Screens of structured knowledge about a subject: profile, preferences, tags."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.sources import (
    FactSources,
    NotesOfTag,
    PreferenceSources,
    TagPast,
    TagSources,
    calibrations_of,
    notes_behind,
    receipts_with,
)
from memory_platform.console.memory_actions.screens import ActingAdmin
from memory_platform.console.shared.base import subject_shown
from memory_platform.console.shared.display import (
    column,
    line,
    link_to,
    part,
    share,
    value_line,
    value_whole,
    whole,
    word,
)
from memory_platform.console.shared.filters import OfSubject, StandingFilter
from profiles.models import Preference, ProfileFact, Tag

value_short = column("value", value_line, _("value"))
value_full = column("value", value_whole, _("value"))
confidence = column("confidence", share, _("confidence"), order="confidence")
statement = column("statement", whole, _("statement"))

CLOCKS = part(_("Times"), "valid_at", "invalid_at", "recorded_at", "retired_at", "last_validated_at")


def past_of(model: Any) -> Any:
    """Return the fieldset that links a belief to its successor, and to the row that it is an earlier image of."""
    later = column("superseded_by_id", lambda row_id: link_to(model, row_id), _("superseded by"))
    image = column("version_of_id", lambda row_id: link_to(model, row_id), _("version of"))
    return part(_("Past"), later, image, "id")


@admin.register(ProfileFact)
class ProfileFactScreen(ActingAdmin):
    """Profile fields and free attributes, with their past."""

    list_display = (subject_shown, "field", value_short, confidence, "provenance", "valid_at", "invalid_at")
    list_display_links = ("field",)
    list_filter = (OfSubject, StandingFilter, "is_attribute", "provenance", "field")
    search_fields = ("subject__external_id", "field", "value")
    search_help_text = _("Subject id, field or value")
    date_hierarchy = "recorded_at"
    ordering = ("-recorded_at", "-id")
    fieldsets = (
        part(None, subject_shown, "field", "is_attribute", value_full, confidence, "provenance"),
        part(None, notes_behind, receipts_with, calibrations_of),
        CLOCKS,
        past_of(ProfileFact),
    )
    inlines = (FactSources,)


@admin.register(Preference)
class PreferenceScreen(ActingAdmin):
    """Preferences by category, with their past."""

    list_display = (subject_shown, "category", "key", value_short, confidence, "provenance", "valid_at", "invalid_at")
    list_display_links = ("category", "key")
    list_filter = (OfSubject, StandingFilter, "provenance", "category")
    search_fields = ("subject__external_id", "category", "key", "value", "statement")
    search_help_text = _("Subject id, category, key, value or statement")
    date_hierarchy = "recorded_at"
    ordering = ("-recorded_at", "-id")
    fieldsets = (
        part(None, subject_shown, "category", "key", value_full, statement, confidence, "provenance"),
        part(None, notes_behind, receipts_with, calibrations_of),
        CLOCKS,
        past_of(Preference),
    )
    inlines = (PreferenceSources,)


@admin.register(Tag)
class TagScreen(ActingAdmin):
    """Labelled places and contacts."""

    list_display = (
        column("label", word, _("label"), order="label"),
        subject_shown,
        "kind",
        column("address", line, _("address")),
        "phone",
        "relation",
        "use_count",
        "last_used_at",
    )
    list_filter = (OfSubject, "kind", "provenance")
    search_fields = ("subject__external_id", "label", "aliases", "address", "phone", "relation")
    search_help_text = _("Subject id, label, alias, address, phone or relation")
    date_hierarchy = "created_at"
    ordering = ("-updated_at", "-id")
    fieldsets = (
        part(None, subject_shown, "label", column("aliases", value_whole, _("aliases")), "kind"),
        part(_("Place"), column("address", whole, _("address")), "poi_id", "lat", "lon"),
        part(_("Contact"), "phone", "relation"),
        part(_("Use"), "use_count", "last_used_at", notes_behind, receipts_with),
        part(_("More"), confidence, "provenance", "id", "created_at", "updated_at"),
    )
    inlines = (TagPast, NotesOfTag, TagSources)

    def title_of(self, obj: Tag) -> str:
        return obj.label
