"""Filters of the list of notes: by state, kind, and vital class."""

from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.note_labels import CURRENT, ENDED, GRADE_LABELS, RETIRED, STATE_LABELS
from snapshots.models import VitalClass

ALL_NOTES, ANY_VITAL, NOT_VITAL = "all", "any", "none"


class NoteStateFilter(ConditionFilter):
    """Filters notes by current, ended or retired; current ones are the default."""

    title = _("standing")
    parameter_name = "standing"

    def conditions(self) -> dict[str, tuple[Any, Q]]:
        now = timezone.now()
        over = Q(snapshot__invalid_at__lte=now) | Q(snapshot__expires_at__lte=now)
        lasting = Q(snapshot__invalid_at=None) | Q(snapshot__invalid_at__gt=now)
        kept = Q(snapshot__expires_at=None) | Q(snapshot__expires_at__gt=now)
        return {
            CURRENT: (STATE_LABELS[CURRENT], Q(snapshot__retired_at=None) & lasting & kept),
            ENDED: (STATE_LABELS[ENDED], Q(snapshot__retired_at=None) & over),
            RETIRED: (STATE_LABELS[RETIRED], Q(snapshot__retired_at__isnull=False)),
            ALL_NOTES: (_("All"), Q()),
        }

    def value(self) -> str:
        chosen = super().value() or CURRENT
        return chosen if chosen in {*STATE_LABELS, ALL_NOTES} else CURRENT

    def choices(self, changelist: Any) -> Any:
        """Yield the choices; "all" is the last one, because no choice means "current"."""
        for name, title in self.lookup_choices:
            query = {} if name == CURRENT else {self.parameter_name: name}
            address = changelist.get_query_string(query, [] if query else [self.parameter_name])
            yield {"selected": self.value() == name, "query_string": address, "display": title}


class NoteGradeFilter(ConditionFilter):
    title = _("kind")
    parameter_name = "grade"

    def conditions(self) -> dict[str, tuple[Any, Q]]:
        return {grade: (label, Q(grade=grade)) for grade, label in GRADE_LABELS.items()}


class VitalClassFilter(ConditionFilter):
    """Filters notes by whether they are vital, and why."""

    title = _("vital")
    parameter_name = "vital"

    def conditions(self) -> dict[str, tuple[Any, Q]]:
        classes = {name: (label, Q(vital_class=name)) for name, label in VitalClass.choices}
        return {ANY_VITAL: (_("vital"), ~Q(vital_class="")), **classes, NOT_VITAL: (_("not vital"), Q(vital_class=""))}
