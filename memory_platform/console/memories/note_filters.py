"""Filters of the list of notes: by state, kind, and vital class."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.note_words import CURRENT, ENDED, GRADES, RETIRED, STANDINGS
from snapshots.models import VitalClass

ALL, ANY, NONE = "all", "any", "none"


class NoteStanding(admin.SimpleListFilter):
    """Filters notes by current, ended or retired; current ones are the default."""

    title = _("standing")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [*STANDINGS.items(), (ALL, _("All"))]

    def value(self) -> str:
        chosen = super().value() or CURRENT
        return chosen if chosen in {*STANDINGS, ALL} else CURRENT

    def choices(self, changelist: Any) -> Any:
        """Yield the choices; "all" is the last one, because no choice means "current"."""
        for name, title in self.lookup_choices:
            query = {} if name == CURRENT else {self.parameter_name: name}
            address = changelist.get_query_string(query, [] if query else [self.parameter_name])
            yield {"selected": self.value() == name, "query_string": address, "display": title}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen, now = self.value(), timezone.now()
        over = Q(snapshot__invalid_at__lte=now) | Q(snapshot__expires_at__lte=now)
        lasting = Q(snapshot__invalid_at=None) | Q(snapshot__invalid_at__gt=now)
        kept = Q(snapshot__expires_at=None) | Q(snapshot__expires_at__gt=now)
        conditions = {
            CURRENT: Q(snapshot__retired_at=None) & lasting & kept,
            ENDED: Q(snapshot__retired_at=None) & over,
            RETIRED: Q(snapshot__retired_at__isnull=False),
        }
        return queryset.filter(conditions[chosen]) if chosen in conditions else queryset


class OfGrade(admin.SimpleListFilter):
    title = _("kind")
    parameter_name = "grade"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(GRADES.items())

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(grade=self.value()) if self.value() in GRADES else queryset


class VitalFilter(admin.SimpleListFilter):
    """Filters notes by whether they are vital, and why."""

    title = _("vital")
    parameter_name = "vital"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(ANY, _("vital")), *VitalClass.choices, (NONE, _("not vital"))]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value() or ""
        if chosen in VitalClass.values:
            return queryset.filter(vital_class=chosen)
        return {ANY: queryset.exclude(vital_class=""), NONE: queryset.filter(vital_class="")}.get(chosen, queryset)
