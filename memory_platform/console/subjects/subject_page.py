"""The content of a subject's page: each section bounded, with a link to its full list."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Model, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from memory_platform.console.shared.code_labels import render_code, render_step_counts
from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.list_filters import ALL_STATES
from memory_platform.console.shared.note_and_state_labels import (
    CURRENT,
    build_belief_state_conditions,
    build_snapshot_state_conditions,
)
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    build_list_address,
    render_row_link,
)
from memory_platform.console.subjects.beliefs_sections import build_belief_sections
from memory_platform.console.subjects.memories_sections import build_memory_sections
from memory_platform.console.subjects.page_section import PageRows, PageSection, build_newest_section, load_first_rows
from memory_platform.console.subjects.past_moment import RequestedMoment, SliderRange
from memory_platform.console.transcript.answer_results import load_answer_results
from memory_platform.console.transcript.answers import LARGE_BESIDE_QUESTION, render_question
from profiles.models import Ask, Candidate, Preference, ProfileFact, Subject, Tag
from snapshots.models import (
    Conversation,
    MemoryFile,
    Message,
    Note,
    Receipt,
    Snapshot,
    SnapshotKind,
    Task,
    Work,
    WorkState,
)
from snapshots.understanding.believing.candidate_review import list_waiting_candidates

# What the page links to, as filtered lists.
LISTED_MODELS = (
    ProfileFact,
    Preference,
    Tag,
    Note,
    Snapshot,
    Conversation,
    Message,
    Task,
    MemoryFile,
    Receipt,
    Candidate,
    Ask,
    Work,
)
# Sections that show the beginning of a list.
COUNTED_KEYS = ("tags", "answers", "preferences", "notes", "conversations", "snapshots")
# How a browser writes a moment.
DATE_INPUT_FORMAT = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True, slots=True)
class MomentForm:
    """The form of the moment: ``at`` in UTC for its field, the slider's step, and the nearest moments before and after
    it at which the page shows something else."""

    moment: RequestedMoment
    at: str
    step: int
    steps: int
    start: datetime
    before: str
    after: str


def make_moment_form(moment: RequestedMoment, span: SliderRange) -> MomentForm:
    at = moment.at or span.end
    before, after = span.find_moment_before(at), span.find_moment_after(at)
    return MomentForm(
        moment,
        f"{moment.at:{DATE_INPUT_FORMAT}}" if moment.at else "",
        span.find_step(at) if moment.at else SUBJECT_PAGE.slider_steps,
        SUBJECT_PAGE.slider_steps,
        span.start,
        f"{before:{DATE_INPUT_FORMAT}}" if before else "",
        f"{after:{DATE_INPUT_FORMAT}}" if after and moment.at else "",
    )


def build_page_sections(subject: Subject, moment: RequestedMoment) -> list[PageSection]:
    """Return the sections in their order: beliefs and memories as of the moment, everything else as it is now."""
    beliefs = build_belief_sections(subject, moment)
    memories = build_memory_sections(subject, moment)
    return [
        memories["vital"],
        beliefs["tags"],
        _build_answers(subject),
        beliefs["profile"],
        beliefs["preferences"],
        beliefs["fields"],
        memories["notes"],
        _build_conversations(subject),
        _build_tasks(subject),
        memories["replies"],
        memories["snapshots"],
        _build_work(subject),
    ]


def build_jumps(sections: Iterable[PageSection], lists: PageRows) -> PageRows:
    """Return links to the sections that have rows, with the count where a section shows only the first of a list."""
    counts = {one["address"]: one["count"] for one in lists}
    return [
        {"key": one.key, "title": one.title, "count": counts.get(one.address, "") if one.key in COUNTED_KEYS else ""}
        for one in sections
        if one.rows
    ]


def count_waiting_proposals(subject: Subject) -> int:
    """Return how many proposals about the person wait for a decision, counted up to a bound."""
    return list_waiting_candidates().filter(subject=subject).order_by()[: SUBJECT_PAGE.max_rows + 1].count()


def count_rows_by_kind(subject: Subject) -> PageRows:
    """Return the number of rows of each kind, of memories the current ones, linked to the lists. One query."""
    counts = {model._meta.model_name: _make_count(model) for model in LISTED_MODELS}
    named = {f"n_{name}": count for name, count in counts.items()}
    found: dict[str, Any] = dict(Subject.objects.filter(pk=subject.pk).values(**named).get())
    return [
        {
            # As the section above is called.
            "name": _("Places and contacts") if model is Tag else capfirst(str(model._meta.verbose_name_plural)),
            "count": found[f"n_{model._meta.model_name}"],
            # Of proposals the list shows those that wait, unless asked for all.
            "address": build_list_address(
                model, subject=subject.pk, **({"verdict__exact": ALL_STATES} if model is Candidate else {})
            ),
        }
        for model in LISTED_MODELS
        if found[f"n_{model._meta.model_name}"]
    ]


def _make_count(model: type[Model]) -> Coalesce:
    # Notes have no index by subject, but their snapshots do.
    found: QuerySet[Any] = model._default_manager.all()
    if model is Note:
        found = Snapshot.objects.filter(build_snapshot_state_conditions()[CURRENT], kind=SnapshotKind.NOTE)
    elif model is Snapshot:
        found = found.filter(build_snapshot_state_conditions()[CURRENT])
    elif model in (Preference, ProfileFact):
        found = found.filter(build_belief_state_conditions()[CURRENT])
    rows = found.filter(subject=OuterRef("pk")).order_by().values("subject")
    return Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), Value(0))


def _build_answers(subject: Subject) -> PageSection:
    rows = Receipt.objects.filter(subject=subject).defer(*LARGE_BESIDE_QUESTION).order_by("-created_at", "-id")
    first, more = load_first_rows(rows, SUBJECT_PAGE.max_rows)
    results = load_answer_results(first)
    told = [
        {
            "address": build_change_address(Receipt, receipt.pk),
            "question": render_question(receipt),
            "asked": render_time_ago(receipt.created_at),
            "degraded": render_code(receipt.degraded_reason),
            "result": results[receipt.pk],
        }
        for receipt in first
    ]
    return PageSection("answers", _("Latest answers"), told, build_list_address(Receipt, subject=subject.pk), more)


def _build_tasks(subject: Subject) -> PageSection:
    return build_newest_section(
        "tasks",
        _("Tasks of the assistant"),
        Task.objects.filter(subject=subject),
        lambda task: {
            "link": render_row_link(task, task.goal[: SUBJECT_PAGE.text_chars]),
            "status": task.get_status_display(),
            "steps": render_step_counts(task.steps) if task.steps else "",
            "at": render_time_ago(task.updated_at),
        },
        subject=subject.pk,
    )


def _build_conversations(subject: Subject) -> PageSection:
    return build_newest_section(
        "conversations",
        _("Conversations"),
        Conversation.objects.filter(subject=subject),
        lambda talk: {
            "at": render_time_ago(talk.last_accepted_at or talk.created_at),
            "link": render_row_link(talk, talk.external_id),
            "status": talk.get_status_display(),
        },
        subject=subject.pk,
    )


def _build_work(subject: Subject) -> PageSection:
    return build_newest_section(
        "work",
        _("Unfinished work items"),
        Work.objects.filter(subject=subject).exclude(state=WorkState.DONE),
        lambda item: {
            "link": render_row_link(item, str(item.get_kind_display())),
            "state": item.get_state_display(),
            "error": render_code(item.error_code),
            "at": render_time_ago(item.created_at),
        },
        subject=subject.pk,
    )
