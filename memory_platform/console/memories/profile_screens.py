"""Screens of structured knowledge about a subject: profile, preferences, tags."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.source_notes_and_calibrations import (
    TagNotesInline,
    render_calibrations_link,
    render_source_notes,
)
from memory_platform.console.memory_actions.add_memory_pages import show_add_preference
from memory_platform.console.memory_actions.memory_admin import StaffActionAdmin
from memory_platform.console.memory_actions.memory_states import state_column
from memory_platform.console.shared.base_screens import subject_column
from memory_platform.console.shared.code_labels import OccurringValuesFilter
from memory_platform.console.shared.custom_pages import make_console_path
from memory_platform.console.shared.headers.belief_names import (
    label_category,
    label_fact,
    label_preference_key,
)
from memory_platform.console.shared.headers.shown_person import note_shown_person
from memory_platform.console.shared.list_filters import BeliefStateFilter, SubjectFilter
from memory_platform.console.shared.value_rendering import (
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    parse_uuid,
    render_line,
    render_share_bar,
    render_text,
    render_value,
    render_value_line,
    render_word,
)
from profiles.models import Preference, ProfileFact, Tag
from snapshots.lifecycle.staff_actions.undo_act import find_retired_tag

value_column = make_column("value", render_value_line, _("value"))
category_column = make_column("category", label_category, _("category"), order="category")
key_column = make_column("key", label_preference_key, _("key"), order="key")
field_column = make_computed_column("field", label_fact, _("field"), order="field")
full_value_column = make_column("value", render_value, _("value"))
confidence_column = make_column("confidence", render_share_bar, _("confidence"), order="confidence")
statement_column = make_column("statement", render_text, _("statement"))

TIMES_FIELDSET = make_folded_fieldset(
    _("Times"), "valid_at", "invalid_at", "recorded_at", "retired_at", "last_validated_at"
)


class OccurringCategoriesFilter(OccurringValuesFilter):
    """Filters by one of the categories that occur, each shown by its label."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield {**choice, "display": label_category(str(choice["display"]))}


@admin.register(ProfileFact)
class ProfileFactScreen(StaffActionAdmin):
    """Profile fields and free attributes, with their past."""

    list_display = (
        field_column,
        value_column,
        subject_column,
        state_column,
        confidence_column,
        "provenance",
        "valid_at",
        "invalid_at",
    )
    list_display_links = (value_column,)
    count_text = ngettext_lazy("%(count)d profile fact", "%(count)d profile facts", "count")
    list_filter = (SubjectFilter, BeliefStateFilter, "is_attribute", "provenance", "field")
    search_fields = ("subject__external_id", "field", "value")
    search_help_text = _("Id of a person, field or value")
    date_hierarchy = "recorded_at"
    ordering = ("-recorded_at", "-id")
    fieldsets = (
        make_fieldset(None, full_value_column, confidence_column, render_calibrations_link, render_source_notes),
        TIMES_FIELDSET,
        make_folded_fieldset(_("Technical details"), "field", "is_attribute"),
    )


@admin.register(Preference)
class PreferenceScreen(StaffActionAdmin):
    """Preferences by category, with their past."""

    list_display = (
        category_column,
        key_column,
        value_column,
        subject_column,
        state_column,
        confidence_column,
        "provenance",
        "valid_at",
        "invalid_at",
    )
    list_display_links = (value_column,)
    count_text = ngettext_lazy("%(count)d preference", "%(count)d preferences", "count")
    list_filter = (SubjectFilter, BeliefStateFilter, "provenance", ("category", OccurringCategoriesFilter))
    search_fields = ("subject__external_id", "category", "key", "value", "statement")
    search_help_text = _("Id of a person, category, key, value or statement")
    date_hierarchy = "recorded_at"
    ordering = ("-recorded_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            full_value_column,
            statement_column,
            confidence_column,
            render_calibrations_link,
            render_source_notes,
        ),
        TIMES_FIELDSET,
        make_folded_fieldset(_("Technical details"), "category", "key"),
    )

    def get_urls(self) -> list[URLPattern]:
        add = make_console_path("add-for/<path:object_id>/", self.add_for_view, "add_preference")
        return [add, *super().get_urls()]

    def add_for_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Add a preference for the person with this id."""
        return show_add_preference(self, request, object_id)


@admin.register(Tag)
class TagScreen(StaffActionAdmin):
    """Labelled places and contacts."""

    list_display = (
        make_column("label", render_word, _("label"), order="label"),
        subject_column,
        state_column,
        "kind",
        make_column("address", render_line, _("address")),
        "phone",
        "relation",
        "updated_at",
    )
    count_text = ngettext_lazy("%(count)d place or contact", "%(count)d places and contacts", "count")
    list_filter = (SubjectFilter, "kind", "provenance")
    search_fields = ("subject__external_id", "label", "aliases", "address", "phone", "relation")
    search_help_text = _("Id of a person, label, alias, address, phone or relation")
    date_hierarchy = "created_at"
    ordering = ("-updated_at", "-id")
    fieldsets = (
        make_fieldset(None, "label", make_column("aliases", render_value, _("aliases")), render_source_notes),
        make_fieldset(_("Place"), make_column("address", render_text, _("address")), "poi_id", "lat", "lon"),
        make_fieldset(_("Contact"), "phone", "relation"),
        make_folded_fieldset(_("Technical details"), "kind", confidence_column, "created_at", "updated_at"),
    )
    inlines = (TagNotesInline,)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Tag | None:
        """Return the tag, or one that staff retired as it was: its page offers to undo that."""
        found: Tag | None = super().get_object(request, object_id, from_field)
        named = parse_uuid(object_id)
        if found is None and named:
            found = find_retired_tag(named)
            note_shown_person(request, found)
        return found

    def name_kind(self) -> str:
        return gettext("Place or contact")

    def title_of(self, obj: Tag) -> str:
        return obj.label
