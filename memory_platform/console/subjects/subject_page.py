"""The content of a subject's page: each section bounded, with a link to its full list."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, DateTimeField, Model, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.utils.text import capfirst

from memory_platform.console.shared.code_labels import label_field, render_code
from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.note_labels import (
    CURRENT,
    build_belief_state_conditions,
    build_snapshot_state_conditions,
)
from memory_platform.console.shared.rendering import (
    build_change_address,
    build_list_address,
    format_json_value,
    render_line,
    render_link,
    render_row_link,
    render_share_bar,
)
from memory_platform.console.subjects.notes_section import PageNote, choose_notes, filter_notes_as_of, render_page_note
from memory_platform.console.subjects.past_moment import AS_OF, KNOWN_AT, RequestedMoment, SliderRange
from memory_platform.console.transcript.answers import LARGE_BESIDE_QUESTION, render_question
from memory_platform.console.transcript.message_links import render_turn_link
from profiles.models import Ask, Candidate, Preference, ProfileFact, Subject, Tag
from profiles.selectors import preferences_at, profile_facts, tags_at, tags_known_at
from profiles.values import Verdict
from snapshots.embedding.snapshot_history import NOTE, restore_note, restore_snapshot
from snapshots.lifecycle.selectors import SnapshotFilter, find_snapshots
from snapshots.models import (
    CUT_OUT,
    Conversation,
    Message,
    Note,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    Snapshot,
    SnapshotKind,
    SnapshotSource,
    SnapshotVersion,
    TagSource,
    Task,
    Work,
    WorkState,
)

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
    Receipt,
    Candidate,
    Ask,
    Work,
)
# How a browser writes a moment.
DATE_INPUT_FORMAT = "%Y-%m-%dT%H:%M:%S"
MAP_ADDRESS = "https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=17/{lat}/{lon}"

PageRows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PageSection:
    """One section of the page: its rows and the address of the full list; ``more``: the list has more rows."""

    rows: PageRows
    address: str
    more: bool = False


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


def build_subject_page(subject: Subject, moment: RequestedMoment) -> dict[str, Any]:
    """Return every section of a subject's page: beliefs as of the moment, everything else as it is now."""
    return {
        "held": count_rows_by_kind(subject),
        "profile": _build_profile(subject, moment),
        "preferences": _build_preferences(subject, moment),
        "tags": _build_tags(subject, moment),
        **_build_memories(subject, moment),
        "conversations": _build_conversations(subject),
        "receipts": _build_receipts(subject),
        "candidates": _build_candidates(subject),
        "work": _build_work(subject),
    }


def count_rows_by_kind(subject: Subject) -> PageRows:
    """Return the number of rows of each kind, of memories the current ones, linked to the lists. One query."""
    counts = {model._meta.model_name: _make_count(model) for model in LISTED_MODELS}
    named = {f"n_{name}": count for name, count in counts.items()}
    found: dict[str, Any] = dict(Subject.objects.filter(pk=subject.pk).values(**named).get())
    return [
        {
            "name": capfirst(str(model._meta.verbose_name_plural)),
            "count": found[f"n_{model._meta.model_name}"],
            "address": build_list_address(model, subject=subject.pk),
        }
        for model in LISTED_MODELS
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


def _build_profile(subject: Subject, moment: RequestedMoment) -> PageSection:
    facts, more = _load_first_rows(
        profile_facts(subject, **moment.selector_arguments).order_by("is_attribute", "field"), SUBJECT_PAGE.max_beliefs
    )
    sources = _load_sources(ProfileFactSource, subject, [fact.value_id for fact in facts])
    rows = [_render_belief(fact, label_field(fact.field, is_attribute=fact.is_attribute), sources) for fact in facts]
    return PageSection(rows, build_list_address(ProfileFact, subject=subject.pk), more)


def _build_preferences(subject: Subject, moment: RequestedMoment) -> PageSection:
    found = preferences_at(subject, **moment.selector_arguments).order_by("category", "key")
    preferences, more = _load_first_rows(found, SUBJECT_PAGE.max_beliefs)
    sources = _load_sources(PreferenceSource, subject, [preference.value_id for preference in preferences])
    categories: dict[str, PageRows] = defaultdict(list)
    for preference in preferences:
        categories[preference.category].append(_render_belief(preference, preference.key, sources))
    rows = [{"category": category, "rows": inside} for category, inside in categories.items()]
    return PageSection(rows, build_list_address(Preference, subject=subject.pk), more)


def _render_belief(row: ProfileFact | Preference, name: str, sources: dict[UUID, PageRows]) -> dict[str, Any]:
    return {
        "link": render_link(type(row), row.value_id, name),
        "value": render_line(format_json_value(row.value)),
        "confidence": render_share_bar(row.confidence),
        "provenance": row.get_provenance_display(),
        "since": row.valid_at,
        "until": row.invalid_at,
        "sources": sources.get(row.value_id, []),
    }


def _build_tags(subject: Subject, moment: RequestedMoment) -> PageSection:
    found, more = _load_first_rows(tags_at(subject, **moment.selector_arguments), SUBJECT_PAGE.max_beliefs)
    tags = tags_known_at(found, **moment.selector_arguments)
    sources = _load_sources(TagSource, subject, [tag.pk for tag in tags])
    return PageSection([_render_tag(tag, sources) for tag in tags], build_list_address(Tag, subject=subject.pk), more)


def _render_tag(tag: Tag, sources: dict[UUID, PageRows]) -> dict[str, Any]:
    placed = tag.lat is not None and tag.lon is not None
    return {
        "link": render_row_link(tag, tag.label),
        "kind": tag.get_kind_display(),
        "value": render_line(", ".join(part for part in (tag.address, tag.phone, tag.relation) if part)),
        "map": MAP_ADDRESS.format(lat=f"{tag.lat:.6f}", lon=f"{tag.lon:.6f}") if placed else "",
        "confidence": render_share_bar(tag.confidence),
        "provenance": tag.get_provenance_display(),
        "sources": sources.get(tag.pk, []),
    }


def _build_memories(subject: Subject, moment: RequestedMoment) -> dict[str, PageSection]:
    found = _find_snapshots_at(subject, moment).order_by("-said_at", "-id").defer("content_hash")
    snapshots, more = _load_first_rows(found, SUBJECT_PAGE.max_rows)
    notes, more_notes = choose_notes(subject, moment)
    if moment.clock == KNOWN_AT and moment.at is not None:
        _restore_earlier_values(snapshots, notes, subject, moment.at)
    notes = filter_notes_as_of(notes, moment)
    shown = [snapshot.pk for snapshot in snapshots] + [one.snapshot.pk for one in notes]
    sources = _load_sources(SnapshotSource, subject, shown)
    rows = [
        {
            "said_at": snapshot.said_at,
            "link": render_row_link(snapshot, snapshot.text[: SUBJECT_PAGE.text_chars]),
            "kind": snapshot.get_kind_display(),
            "superseded": snapshot.invalid_at is not None,
            "confidence": render_share_bar(snapshot.confidence),
            "sources": sources.get(snapshot.pk, []),
        }
        for snapshot in snapshots
    ]
    return {
        "notes": PageSection(
            [render_page_note(one, sources) for one in notes], build_list_address(Note, subject=subject.pk), more_notes
        ),
        "snapshots": PageSection(rows, build_list_address(Snapshot, subject=subject.pk), more),
    }


def _find_snapshots_at(subject: Subject, moment: RequestedMoment) -> QuerySet[Snapshot]:
    if moment.at is None or moment.clock == AS_OF:
        return find_snapshots(subject, SnapshotFilter(as_of=moment.at, whole=True))
    held = Snapshot.objects.filter(subject=subject, recorded_at__lte=moment.at).exclude(kind__in=CUT_OUT)
    # A retirement that was undone later stands only in the versions: the row itself is in use again.
    later = SnapshotVersion.objects.filter(
        subject=subject, snapshot_id=OuterRef("pk"), retired_at__gt=moment.at, fields__has_key="retired_at"
    )
    retired_at = Cast(KeyTextTransform("retired_at", "fields"), DateTimeField())
    then = Subquery(later.order_by("version").annotate(then=retired_at).values("then")[:1])
    return held.annotate(retired_then=then).filter(
        Q(retired_at=None) | Q(retired_at__gt=moment.at), Q(retired_then=None) | Q(retired_then__gt=moment.at)
    )


def _restore_earlier_values(
    snapshots: Sequence[Snapshot], notes: Sequence[PageNote], subject: Subject, at: datetime
) -> None:
    """Restore the values that snapshots and notes had at an earlier moment. One query."""
    details = {one.snapshot.pk: one.note for one in notes}
    rows = {snapshot.pk: snapshot for snapshot in (*snapshots, *(one.snapshot for one in notes))}
    later = SnapshotVersion.objects.filter(subject=subject, snapshot_id__in=list(rows), retired_at__gt=at)
    for version in later.order_by("-version"):
        restore_snapshot(rows[version.snapshot_id], version.fields)
        if version.snapshot_id in details:
            restore_note(details[version.snapshot_id], version.fields.get(NOTE, {}))


def _build_conversations(subject: Subject) -> PageSection:
    return _newest(
        Conversation.objects.filter(subject=subject),
        lambda talk: {
            "at": talk.last_accepted_at or talk.created_at,
            "link": render_row_link(talk, talk.external_id),
            "status": talk.get_status_display(),
        },
        subject=subject.pk,
    )


def _build_receipts(subject: Subject) -> PageSection:
    return _newest(
        Receipt.objects.filter(subject=subject).defer(*LARGE_BESIDE_QUESTION),
        lambda receipt: {
            "address": build_change_address(Receipt, receipt.pk),
            "question": render_question(receipt),
            "asked": render_time_ago(receipt.created_at),
            "intent": render_code(receipt.intent),
            "degraded": render_code(receipt.degraded_reason),
        },
        subject=subject.pk,
    )


def _build_candidates(subject: Subject) -> PageSection:
    return _newest(
        Candidate.objects.filter(subject=subject, verdict=Verdict.PENDING),
        lambda candidate: {
            "link": render_row_link(candidate, candidate.target or render_code(candidate.kind)),
            "value": render_line(format_json_value(candidate.value)),
            "reason": render_code(candidate.reason),
            "confidence": render_share_bar(candidate.confidence),
        },
        subject=subject.pk,
        verdict__exact=Verdict.PENDING.value,
    )


def _build_work(subject: Subject) -> PageSection:
    return _newest(
        Work.objects.filter(subject=subject).exclude(state=WorkState.DONE),
        lambda item: {
            "link": render_row_link(item, str(item.get_kind_display())),
            "state": item.get_state_display(),
            "error": render_code(item.error_code),
            "at": item.created_at,
        },
        subject=subject.pk,
    )


def _newest(queryset: QuerySet[Any], render: Callable[[Any], dict[str, Any]], **filters: Any) -> PageSection:
    """Return a section of the newest rows, linked to the list with these filters."""
    rows, more = _load_first_rows(queryset.order_by("-created_at", "-id"), SUBJECT_PAGE.max_rows)
    return PageSection(list(map(render, rows)), build_list_address(queryset.model, **filters), more)


def _load_first_rows(rows: QuerySet[Any], most: int) -> tuple[list[Any], bool]:
    found = list(rows[: most + 1])
    return found[:most], len(found) > most


def _load_sources(model: Any, subject: Subject, memories: Collection[UUID]) -> dict[UUID, PageRows]:
    """Return the messages behind each memory, the earliest first and only a few of each. One query."""
    if not memories:
        return {}
    links: Iterable[tuple[UUID, UUID, UUID, datetime]] = (
        model.objects.filter(subject=subject, memory_id__in=list(memories))
        .order_by("message__said_at", "message__seq")
        .values_list("memory_id", "message__conversation_id", "message_id", "message__said_at")
    )[: SUBJECT_PAGE.max_sources]
    found: dict[UUID, PageRows] = defaultdict(list)
    for memory_id, conversation_id, message_id, said_at in links:
        if len(found[memory_id]) < SUBJECT_PAGE.max_sources_each:
            found[memory_id].append({"link": render_turn_link(conversation_id, message_id, f"{said_at:%Y-%m-%d}")})
    return found
