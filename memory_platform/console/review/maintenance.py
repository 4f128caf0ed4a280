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

from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.codes import in_words
from memory_platform.console.shared.display import (
    EMPTY,
    column,
    computed,
    line,
    link,
    link_to,
    part,
    plain,
    share,
    value_whole,
    word,
)
from memory_platform.console.shared.filters import OfSubject
from memory_platform.console.shared.reasons import ReasonedActions, needs_reason, reason_of
from memory_platform.kernel.errors import Conflict
from profiles.models import Preference, ProfileFact
from snapshots.consolidation.join import undo_consolidation
from snapshots.lifecycle.review import TABLES, decide_review
from snapshots.maintenance import CALIBRATE
from snapshots.models import Calibration, Consolidation, Lane, MemoryReview, ReviewDecision, Snapshot
from tenants.models import JobRun
from tenants.services.job_runs import by_hand

OPEN_FIRST = Case(When(decided_at__isnull=True, then=Value(0)), default=Value(1), output_field=IntegerField())
# What care notes of one memory of any lane.
Noted = TypeVar("Noted", MemoryReview, Calibration)
lane = column("lane", in_words, _("lane"), order="lane")


def with_what_they_say(notes: QuerySet[Noted]) -> QuerySet[Noted]:
    """Annotate the notes with ``text``, ``preference`` and ``fact``: the content of the memory."""
    own: dict[str, Any] = {"id": OuterRef("memory_ref"), "subject": OuterRef("subject")}
    return notes.annotate(
        text=Subquery(Snapshot.objects.filter(**own).order_by().values("text")[:1]),
        preference=Subquery(Preference.objects.filter(**own).order_by().values("value")[:1]),
        fact=Subquery(ProfileFact.objects.filter(**own).order_by().values("value")[:1]),
    )


def with_their_run(calibrations: QuerySet[Calibration]) -> QuerySet[Calibration]:
    """Annotate calibrations with ``run``: the id of the job run that made each, None once it is purged."""
    runs = JobRun.objects.filter(job__in=(CALIBRATE, by_hand(CALIBRATE)), started_at__lte=OuterRef("created_at"))
    lasted = runs.filter(Q(ended_at__isnull=True) | Q(ended_at__gte=OuterRef("created_at")))
    return calibrations.annotate(run=Subquery(lasted.order_by("-started_at").values("id")[:1]))


def text_of_note(note: Any) -> Any:
    """Return the content of an annotated row's memory; None when the memory is gone."""
    return next((said for said in (note.text, note.preference, note.fact) if said is not None), None)


memory_line = computed("memory_line", lambda note: line(plain(text_of_note(note))), _("memory"))
memory_whole = computed("memory_whole", lambda note: value_whole(text_of_note(note)), _("memory"))
memory_link = computed(
    "memory_link", lambda note: link_to(TABLES[Lane(note.lane)], note.memory_ref), _("page of the memory")
)


@admin.display(description=_("joined memories"))
def members_shown(consolidation: Consolidation) -> str:
    """Return the joined memories as HTML, each linked to its page."""
    members = Snapshot.objects.filter(subject_id=consolidation.subject_id, id__in=consolidation.members)
    shown = [(link(member, line(member.text)),) for member in members.order_by("said_at", "id")]
    return format_html_join("", '<div class="stored">{}</div>', shown) or EMPTY


def act_on_rows(rows: QuerySet[Any], act: Callable[[Any], object]) -> int:
    """Call ``act`` with each row and return for how many it succeeded; a Conflict counts as a failure.

    Rows are taken by subject and id, so that two people who act on the same rows take the locks in one order.
    """
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
        subject_shown,
        lane,
        memory_line,
        "reason",
        column("effective_confidence", share, _("effective confidence"), order="effective_confidence"),
        "decision",
    )
    list_filter = (OfSubject, "decision", "reason", "lane", "created_at")
    search_fields = ("subject__external_id", "memory_ref")
    search_help_text = _("Subject id or memory id")
    date_hierarchy = "created_at"
    ordering = (OPEN_FIRST, "-created_at", "-id")
    fieldsets = (
        part(None, subject_shown, lane, memory_whole, memory_link),
        part(None, "reason", column("effective_confidence", share, _("effective confidence")), "created_at"),
        part(_("Review"), "decision", "decided_at", column("decided_by", word, _("reviewed by"))),
        part(_("More"), "id"),
    )
    action_form = ReasonedActions
    actions = ("keep", "retire")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemoryReview]:
        return with_what_they_say(super().get_queryset(request))

    @admin.action(description=_("Keep: this is still true"), permissions=["support"])
    @needs_reason
    def keep(self, request: HttpRequest, queryset: QuerySet[MemoryReview]) -> None:
        done = self._decide_rows(request, queryset, ReviewDecision.KEPT)
        self.report_count(request, ngettext("%(count)d memory was kept.", "%(count)d memories were kept.", done), done)

    @admin.action(description=_("Retire: recall no longer finds it, the history stays"), permissions=["support"])
    @needs_reason
    def retire(self, request: HttpRequest, queryset: QuerySet[MemoryReview]) -> None:
        done = self._decide_rows(request, queryset, ReviewDecision.RETIRED)
        text = ngettext("%(count)d memory was retired.", "%(count)d memories were retired.", done)
        self.report_count(request, text, done)

    def _decide_rows(self, request: HttpRequest, rows: QuerySet[MemoryReview], decision: ReviewDecision) -> int:
        by, reason = actor_of(request), reason_of(request)
        decide = partial(decide_review, decision=decision, by=by, reason=reason)
        return act_on_rows(rows.filter(decided_at__isnull=True), lambda row: decide(row.subject, row.id))


@admin.register(Consolidation)
class ConsolidationScreen(SubjectOwnedAdmin):
    """Memories that said nearly the same and were merged into one."""

    list_display = (
        "created_at",
        subject_shown,
        column("memory_ref", lambda row_id: link_to(Snapshot, row_id), _("joined into")),
        column("members", len, _("memories")),
        column("similarity", share, _("least similarity"), order="similarity"),
        "undone_at",
    )
    list_filter = (OfSubject, "created_at", ("undone_at", admin.EmptyFieldListFilter))
    search_fields = ("subject__external_id", "memory_ref")
    search_help_text = _("Subject id or memory id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, subject_shown, column("memory_ref", lambda row_id: link_to(Snapshot, row_id), _("joined into"))),
        part(None, members_shown, column("similarity", share, _("least similarity"))),
        part(_("Times"), "created_at", "undone_at"),
        part(_("More"), "id"),
    )
    action_form = ReasonedActions
    actions = ("take_apart",)

    @admin.action(
        description=_("Take apart: the merged memories hold again and are not merged again"), permissions=["support"]
    )
    @needs_reason
    def take_apart(self, request: HttpRequest, queryset: QuerySet[Consolidation]) -> None:
        undo = partial(undo_consolidation, by=actor_of(request), reason=reason_of(request))
        done = act_on_rows(queryset.filter(undone_at__isnull=True), lambda row: undo(row.subject, row.id))
        text = ngettext("%(count)d merged memory was taken apart.", "%(count)d merged memories were taken apart.", done)
        self.report_count(request, text, done)


@admin.register(Calibration)
class CalibrationScreen(SubjectOwnedAdmin):
    """Changes of the confidence of memories, and the feedback since the change before."""

    list_display = (
        "created_at",
        subject_shown,
        lane,
        memory_line,
        "rule",
        column("before", share, _("from"), order="before"),
        column("after", share, _("to"), order="after"),
        "injected",
        "judged",
        "positive",
        "corrected",
    )
    list_filter = (OfSubject, "rule", "lane", "created_at")
    search_fields = ("subject__external_id", "memory_ref")
    search_help_text = _("Subject id or memory id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, subject_shown, lane, memory_whole, memory_link),
        part(_("Confidence"), column("before", share, _("from")), column("after", share, _("to")), "rule"),
        part(_("Counted since it moved before"), "injected", "judged", "positive", "corrected"),
        part(_("Times"), "created_at", column("run", lambda row_id: link_to(JobRun, row_id), _("job run"))),
        part(_("More"), "id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Calibration]:
        return with_their_run(with_what_they_say(super().get_queryset(request)))
