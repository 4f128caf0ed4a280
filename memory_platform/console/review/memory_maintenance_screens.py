"""Screens of maintenance: doubtful memories, consolidations that can be undone, and changes of confidence."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from django.contrib import admin
from django.db.models import Case, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.shared.action_reasons import ReasonedActionForm, read_reason, require_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.tenant_access import find_actor_name, make_actor
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    format_json_value,
    make_column,
    make_computed_column,
    make_fieldset,
    render_line,
    render_link,
    render_row_link,
    render_share_bar,
    render_value,
    render_word,
)
from memory_platform.kernel.errors import Conflict
from profiles.models import Preference, ProfileFact
from snapshots.consolidation.consolidation_store import undo_consolidation
from snapshots.lifecycle.memory_reviews import TABLES, decide_review
from snapshots.models import Calibration, Consolidation, MemoryLane, MemoryReview, ReviewDecision, Snapshot
from snapshots.scheduled_job_registry import CALIBRATE
from tenants.models import JobRun
from tenants.services.job_runs import name_manual_run

UNDECIDED_FIRST = Case(When(decided_at__isnull=True, then=Value(0)), default=Value(1), output_field=IntegerField())
# What care notes of one memory of any lane.
MemoryNote = TypeVar("MemoryNote", MemoryReview, Calibration)
lane_column = make_column("lane", render_code, _("kind of memory"), order="lane")


def annotate_memory_content(notes: QuerySet[MemoryNote]) -> QuerySet[MemoryNote]:
    """Annotate the notes with ``text``, ``preference`` and ``fact``: the content of the memory."""
    own: dict[str, Any] = {"id": OuterRef("memory_ref"), "subject": OuterRef("subject")}
    return notes.annotate(
        text=Subquery(Snapshot.objects.filter(**own).order_by().values("text")[:1]),
        preference=Subquery(Preference.objects.filter(**own).order_by().values("value")[:1]),
        fact=Subquery(ProfileFact.objects.filter(**own).order_by().values("value")[:1]),
    )


def annotate_job_run(calibrations: QuerySet[Calibration]) -> QuerySet[Calibration]:
    """Annotate calibrations with ``run``: the id of the job run that made each, None once it is purged."""
    runs = JobRun.objects.filter(
        job__in=(CALIBRATE, name_manual_run(CALIBRATE)), started_at__lte=OuterRef("created_at")
    )
    lasted = runs.filter(Q(ended_at__isnull=True) | Q(ended_at__gte=OuterRef("created_at")))
    return calibrations.annotate(run=Subquery(lasted.order_by("-started_at").values("id")[:1]))


def find_memory_content(note: Any) -> Any:
    """Return the content of an annotated row's memory; None when the memory is gone."""
    return next((said for said in (note.text, note.preference, note.fact) if said is not None), None)


memory_column = make_computed_column(
    "memory_line", lambda note: render_line(format_json_value(find_memory_content(note))), _("memory")
)
full_memory_column = make_computed_column(
    "memory_whole", lambda note: render_value(find_memory_content(note)), _("memory")
)
memory_link_column = make_computed_column(
    "memory_link", lambda note: render_link(TABLES[MemoryLane(note.lane)], note.memory_ref), _("page of the memory")
)


@admin.display(description=_("joined memories"))
def render_members(consolidation: Consolidation) -> str:
    members = Snapshot.objects.filter(subject_id=consolidation.subject_id, id__in=consolidation.members)
    shown = [(render_row_link(member, render_line(member.text)),) for member in members.order_by("said_at", "id")]
    return format_html_join("", '<div class="stored">{}</div>', shown) or EMPTY_VALUE


def run_on_rows(rows: QuerySet[Any], act: Callable[[Any], object]) -> int:
    """Call ``act`` with each row and return for how many it succeeded; a Conflict counts as a failure. Rows are taken
    by subject and id, so that two people who act on the same rows take the locks in one order."""
    done = 0
    # In one order for everybody, so that two requests cannot deadlock.
    for row in rows.order_by("subject_id", "id"):
        try:
            act(row)
        except Conflict:
            continue
        done += 1
    return done


@admin.register(MemoryReview)
class MemoryReviewScreen(SubjectOwnedAdmin):
    """Memories that have become unsure or stale. Those that wait for a decision come first."""

    list_display = (
        "created_at",
        subject_column,
        lane_column,
        memory_column,
        "reason",
        make_column("effective_confidence", render_share_bar, _("effective confidence"), order="effective_confidence"),
        "decision",
    )
    empty_text = _("Memories that became unsure or stale wait here for a person. None does.")
    list_filter = (SubjectFilter, "decision", "reason", "lane", "created_at")
    search_fields = ("subject__external_id", "memory_ref")
    search_help_text = _("Id of a person or memory")
    date_hierarchy = "created_at"
    ordering = (UNDECIDED_FIRST, "-created_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, lane_column, full_memory_column, memory_link_column),
        make_fieldset(
            None,
            "reason",
            make_column("effective_confidence", render_share_bar, _("effective confidence")),
            "created_at",
        ),
        make_fieldset(
            _("Review"),
            "decision",
            "decided_at",
            make_column("decided_by", lambda by: render_word(find_actor_name(by)), _("reviewed by")),
        ),
        make_fieldset(_("More"), "id"),
    )
    action_form = ReasonedActionForm
    actions = ("keep", "retire")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemoryReview]:
        return annotate_memory_content(super().get_queryset(request))

    @admin.action(description=_("Keep: this is still true"), permissions=["support"])
    @require_reason
    def keep(self, request: HttpRequest, queryset: QuerySet[MemoryReview]) -> None:
        done = self._decide_rows(request, queryset, ReviewDecision.KEPT)
        self.show_count(request, ngettext("%(count)d memory was kept.", "%(count)d memories were kept.", done), done)

    @admin.action(description=_("Retire: recall no longer finds it, the history stays"), permissions=["support"])
    @require_reason
    def retire(self, request: HttpRequest, queryset: QuerySet[MemoryReview]) -> None:
        done = self._decide_rows(request, queryset, ReviewDecision.RETIRED)
        text = ngettext("%(count)d memory was retired.", "%(count)d memories were retired.", done)
        self.show_count(request, text, done)

    def _decide_rows(self, request: HttpRequest, rows: QuerySet[MemoryReview], decision: ReviewDecision) -> int:
        by, reason = make_actor(request), read_reason(request)
        decide = partial(decide_review, decision=decision, by=by, reason=reason)
        return run_on_rows(rows.filter(decided_at__isnull=True), lambda row: decide(row.subject, row.id))


@admin.register(Consolidation)
class ConsolidationScreen(SubjectOwnedAdmin):
    """Memories that said nearly the same and were merged into one."""

    list_display = (
        "created_at",
        subject_column,
        make_column("memory_ref", lambda row_id: render_link(Snapshot, row_id), _("joined into")),
        make_column("members", len, _("memories"), is_number=True),
        make_column("similarity", render_share_bar, _("least similarity"), order="similarity"),
        "undone_at",
    )
    list_filter = (SubjectFilter, "created_at", ("undone_at", admin.EmptyFieldListFilter))
    search_fields = ("subject__external_id", "memory_ref")
    search_help_text = _("Id of a person or memory")
    date_hierarchy = "created_at"
    empty_text = _(
        "Every night, memories that say nearly the same become one, which can be taken apart again. "
        "Nothing was merged yet."
    )
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            subject_column,
            make_column("memory_ref", lambda row_id: render_link(Snapshot, row_id), _("joined into")),
        ),
        make_fieldset(None, render_members, make_column("similarity", render_share_bar, _("least similarity"))),
        make_fieldset(_("Times"), "created_at", "undone_at"),
        make_fieldset(_("More"), "id"),
    )
    action_form = ReasonedActionForm
    actions = ("take_apart",)

    @admin.action(
        description=_("Take apart: the merged memories are used again, and are not merged again"),
        permissions=["support"],
    )
    @require_reason
    def take_apart(self, request: HttpRequest, queryset: QuerySet[Consolidation]) -> None:
        undo = partial(undo_consolidation, by=make_actor(request), reason=read_reason(request))
        done = run_on_rows(queryset.filter(undone_at__isnull=True), lambda row: undo(row.subject, row.id))
        text = ngettext("%(count)d merged memory was taken apart.", "%(count)d merged memories were taken apart.", done)
        self.show_count(request, text, done)


@admin.register(Calibration)
class CalibrationScreen(SubjectOwnedAdmin):
    """Changes of the confidence of memories, and the feedback since the change before."""

    list_display = (
        "created_at",
        subject_column,
        lane_column,
        memory_column,
        "rule",
        make_column("before", render_share_bar, _("from"), order="before"),
        make_column("after", render_share_bar, _("to"), order="after"),
        "injected",
        "judged",
        "positive",
        "corrected",
    )
    list_filter = (SubjectFilter, "rule", "lane", "created_at")
    search_fields = ("subject__external_id", "memory_ref")
    search_help_text = _("Id of a person or memory")
    date_hierarchy = "created_at"
    empty_text = _(
        "Every night, memories that proved right gain confidence, and those that people corrected lose it. "
        "Nothing was changed yet."
    )
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, lane_column, full_memory_column, memory_link_column),
        make_fieldset(
            _("Confidence"),
            make_column("before", render_share_bar, _("from")),
            make_column("after", render_share_bar, _("to")),
            "rule",
        ),
        make_fieldset(_("Feedback since the last change"), "injected", "judged", "positive", "corrected"),
        make_fieldset(
            _("Times"), "created_at", make_column("run", lambda row_id: render_link(JobRun, row_id), _("job run"))
        ),
        make_fieldset(_("More"), "id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Calibration]:
        return annotate_job_run(annotate_memory_content(super().get_queryset(request)))
