"""Screens of what is known of a subject directly: profile, preferences, tags, candidates."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from memory_platform.console.base import TenantAdmin
from profiles.models import Candidate, Preference, ProfileFact, Subject, Tag


class IsCurrent(admin.SimpleListFilter):
    """What is believed now, what was believed before, or all of it."""

    title = _("standing")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("current", _("current")), ("past", _("past"))]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() == "current":
            return queryset.filter(retired_at__isnull=True, invalid_at__isnull=True)
        if self.value() == "past":
            return queryset.exclude(retired_at__isnull=True, invalid_at__isnull=True)
        return queryset


@admin.register(Subject)
class SubjectScreen(TenantAdmin):
    """Find a subject by id, name, attribute or tag."""

    list_display = ("external_id", "created_at", "updated_at")
    search_fields = ("external_id", "search_text")
    search_help_text = _("Subject id, name, attribute or tag")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")


class BeliefScreen(TenantAdmin):
    """Shared by profile facts and preferences: machines and the API write them."""

    list_select_related = ("subject",)
    autocomplete_fields = ("subject",)
    ordering = ("-recorded_at", "-id")

    @admin.display(description=_("subject"), ordering="subject__external_id")
    def subject_id_shown(self, obj: Any) -> str:
        return str(obj.subject.external_id)


@admin.register(ProfileFact)
class ProfileFactScreen(BeliefScreen):
    """Profile fields and free attributes, with their past."""

    list_display = ("subject_id_shown", "field", "value", "confidence", "provenance", "valid_at", "invalid_at")
    list_filter = (IsCurrent, "provenance", "field")
    search_fields = ("subject__external_id", "field", "value")


@admin.register(Preference)
class PreferenceScreen(BeliefScreen):
    """Preferences by category, with their past."""

    list_display = (
        "subject_id_shown",
        "category",
        "key",
        "value",
        "confidence",
        "provenance",
        "valid_at",
        "invalid_at",
    )
    list_filter = (IsCurrent, "provenance", "category")
    search_fields = ("subject__external_id", "category", "key", "statement")


@admin.register(Tag)
class TagScreen(BeliefScreen):
    """Labelled places and contacts."""

    list_display = ("label", "subject_id_shown", "kind", "address", "phone", "relation", "use_count", "last_used_at")
    list_filter = ("kind", "provenance")
    search_fields = ("subject__external_id", "label", "aliases", "address")
    ordering = ("-updated_at", "-id")


@admin.register(Candidate)
class CandidateScreen(BeliefScreen):
    """What extraction proposed, its verdict and the reason."""

    list_display = ("created_at", "subject_id_shown", "kind", "target", "value", "verdict", "reason", "confidence")
    list_filter = ("verdict", "reason", "kind", "provenance")
    search_fields = ("subject__external_id", "target")
    ordering = ("-created_at", "-id")
