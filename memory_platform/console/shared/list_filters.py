"""Filters of lists: by state, and by one row that a link chose."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, Model, OuterRef, Q
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.note_and_state_labels import (
    CURRENT,
    ENDED,
    STATE_LABELS,
    build_belief_state_conditions,
    build_snapshot_state_conditions,
)
from memory_platform.console.shared.refusals import note_missing_row
from memory_platform.console.shared.value_rendering import parse_uuid, shorten_id
from profiles.models import Preference, ProfileFact, Subject, Tag
from snapshots.models import Conversation, MessageArchive, Receipt, Snapshot
from snapshots.receipts.read import build_memory_condition

ALL_STATES = "all"
# "2026-11-23" of a time in an address.
DAY_CHARS = 10


class ConditionFilter(admin.SimpleListFilter):
    """Filters by one of several conditions, each with its label. ``has_default``: without a choice it filters, too."""

    has_default: ClassVar[bool] = False

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        """Return label and condition of each choice by its value in the address."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(value, label) for value, (label, _condition) in self.build_choice_conditions().items()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.build_choice_conditions().get(self.value() or "")
        return queryset.filter(chosen[1]) if chosen else queryset


class PeriodFilter(admin.DateFieldListFilter):
    """Filters by a period. One that the address names, and that is none of Django's, is a choice of its own."""

    def choices(self, changelist: Any) -> Any:
        found = list(super().choices(changelist))
        if self.date_params and not any(choice["selected"] for choice in found):
            begin, end = (self.date_params.get(name or "", "") for name in self.expected_parameters()[:2])
            last = end[:DAY_CHARS] or gettext("today")  # no text within an f-string is found for translation
            shown = f"{begin[:DAY_CHARS]} \N{EN DASH} {last}"
            found.append({"selected": True, "query_string": changelist.get_query_string({}), "display": shown})
        return iter(found)


class StateFilter(ConditionFilter):
    """Filters memories by their state; current ones are the default, so that no list passes the past off as known."""

    title = _("status")
    parameter_name = "standing"
    has_default = True

    def build_state_conditions(self) -> dict[str, Q]:
        raise NotImplementedError

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        states = {state: (STATE_LABELS[state], condition) for state, condition in self.build_state_conditions().items()}
        return {**states, ALL_STATES: (_("All"), Q())}

    def value(self) -> str:
        chosen = super().value() or CURRENT
        return chosen if chosen in {*STATE_LABELS, ALL_STATES} else CURRENT

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """Return the rows in the chosen state. An action finds every row that was ticked: one that somebody else has
        retired since gets its verdict, and is not left out in silence."""
        if request.method == "POST" and request.POST.get("select_across", "0") == "0":
            return queryset
        return super().queryset(request, queryset)

    def choices(self, changelist: Any) -> Any:
        """Yield the choices; "all" is the last one, because no choice means "current"."""
        for name, title in self.lookup_choices:
            query = {} if name == CURRENT else {self.parameter_name: name}
            address = changelist.get_query_string(query, [] if query else [self.parameter_name])
            yield {"selected": self.value() == name, "query_string": address, "display": title}


class BeliefStateFilter(StateFilter):
    """Filters preferences and profile facts."""

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        choices = super().build_choice_conditions()
        return {**choices, ENDED: (_("ended or retired"), choices[ENDED][1])}

    def build_state_conditions(self) -> dict[str, Q]:
        return build_belief_state_conditions()


class SnapshotStateFilter(StateFilter):
    """Filters snapshots; expired ones have ended."""

    def build_state_conditions(self) -> dict[str, Q]:
        return build_snapshot_state_conditions()


class NoteStateFilter(StateFilter):
    """Filters notes by the state of their snapshots."""

    def build_state_conditions(self) -> dict[str, Q]:
        return build_snapshot_state_conditions("snapshot__")


class ArchiveFilter(ConditionFilter):
    """Filters conversations by whether the archive holds some of their text."""

    title = _("archive")
    parameter_name = "archive"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        away = Exists(MessageArchive.objects.filter(subject_id=OuterRef("subject_id"), conversation_id=OuterRef("id")))
        return {"away": (_("text in the archive"), Q(away)), "here": (_("no text in the archive"), Q(~away))}


class RelatedRowFilter(admin.SimpleListFilter):
    """Filters by one related row. It is offered only when a link has chosen the row, and can be removed."""

    model: ClassVar[type[Model]]
    field: ClassVar[str]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        chosen = self.value()
        if not chosen:
            return []
        name = self.find_row_name(self.parse_chosen_id())
        if name is None:
            note_missing_row(request, chosen)
        return [(chosen, name or shorten_id(self.parse_chosen_id() or "-"))]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() is None:
            return queryset
        chosen = self.parse_chosen_id()
        return self.filter_rows(queryset, chosen) if chosen else queryset.none()

    def parse_chosen_id(self) -> UUID | None:
        return parse_uuid(self.value() or "")

    def find_row_name(self, row_id: UUID | None) -> str | None:
        """Return the name of the row; None for a row that is not this tenant's."""
        row: Any = self.model._default_manager.filter(pk=row_id).first() if row_id else None
        return row.external_id if row else None

    def filter_rows(self, queryset: Any, row_id: UUID) -> Any:
        return queryset.filter(**{f"{self.field}_id": row_id})


class SubjectFilter(RelatedRowFilter):
    title = _("person")
    parameter_name = field = "subject"
    model = Subject


class ConversationFilter(RelatedRowFilter):
    title = _("conversation")
    parameter_name = field = "conversation"
    model = Conversation


class MemoryFilter(RelatedRowFilter):
    """Filters receipts by one memory that is in their prompt."""

    title = _("memory")
    parameter_name = "memory"

    def find_row_name(self, row_id: UUID | None) -> str | None:
        """Return the short id; also of a memory that is forgotten, as long as a receipt names it."""
        if row_id is None:
            return None
        named: list[Any] = [Receipt.objects.filter(build_memory_condition(row_id))]
        named += [model._default_manager.filter(pk=row_id) for model in (Snapshot, Preference, ProfileFact, Tag)]
        return shorten_id(row_id) if any(rows.exists() for rows in named) else None

    def filter_rows(self, queryset: Any, row_id: UUID) -> Any:
        return queryset.filter(build_memory_condition(row_id))
