"""The content of a subject's page: each section bounded, with a link to its full list."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Model, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.text import capfirst

from memory_platform.console.shared.codes import field_name, in_words
from memory_platform.console.shared.display import line, link, link_to, list_address, plain, share
from memory_platform.console.shared.policy import SUBJECT_PAGE
from memory_platform.console.subjects.moment import AS_OF, KNOWN_AT, RequestedMoment, TimeSpan
from memory_platform.console.subjects.subject_notes import NoteRow, choose_notes, note_row, notes_as_of
from profiles.models import Ask, Candidate, Preference, ProfileFact, Subject, Tag
from profiles.selectors import preferences_at, profile_facts, tags_as_held, tags_at
from profiles.values import Verdict
from snapshots.embedding.versions import NOTE, restore, restore_note
from snapshots.lifecycle.selectors import SnapshotFilter, snapshots_of
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
HELD = (ProfileFact, Preference, Tag, Note, Snapshot, Conversation, Message, Task, Receipt, Candidate, Ask, Work)
# How a browser writes a moment.
DATE_FIELD = "%Y-%m-%dT%H:%M:%S"
MAP = "https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=17/{lat}/{lon}"

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PageSection:
    """One section of the page: its rows and the address of the full list; ``more``: the list has more rows."""

    rows: Rows
    address: str
    more: bool = False


@dataclass(frozen=True, slots=True)
class Timing:
    """The form of the moment: ``at`` in UTC for its field, the slider's step, and the changes before and after it."""

    moment: RequestedMoment
    at: str
    step: int
    steps: int
    start: datetime
    before: str
    after: str


def timing_of(moment: RequestedMoment, span: TimeSpan) -> Timing:
    at = moment.at or span.end
    before = [change for change in span.changes if change < at]
    after = [change for change in span.changes if change > at]
    return Timing(
        moment,
        f"{moment.at:{DATE_FIELD}}" if moment.at else "",
        span.step(at) if moment.at else SUBJECT_PAGE.steps,
        SUBJECT_PAGE.steps,
        span.start,
        f"{before[-1]:{DATE_FIELD}}" if before else "",
        f"{after[0]:{DATE_FIELD}}" if after and moment.at else "",
    )


def parts_of(subject: Subject, moment: RequestedMoment) -> dict[str, Any]:
    """Return every section of a subject's page: beliefs as of the moment, everything else as it is now."""
    return {
        "held": counts_of(subject),
        "profile": _profile(subject, moment),
        "preferences": _preferences(subject, moment),
        "tags": _tags(subject, moment),
        **_memories(subject, moment),
        "conversations": _conversations(subject),
        "receipts": _receipts(subject),
        "candidates": _candidates(subject),
        "work": _work(subject),
    }


def counts_of(subject: Subject) -> Rows:
    """Return the number of rows of each kind, linked to the lists. One query."""
    counts = {model._meta.model_name: _count(model) for model in HELD}
    named = {f"n_{name}": count for name, count in counts.items()}
    found: dict[str, Any] = dict(Subject.objects.filter(pk=subject.pk).values(**named).get())
    return [
        {
            "name": capfirst(str(model._meta.verbose_name_plural)),
            "count": found[f"n_{model._meta.model_name}"],
            "address": list_address(model, subject=subject.pk),
        }
        for model in HELD
    ]


def _count(model: type[Model]) -> Coalesce:
    # Notes have no index by subject, but their snapshots do.
    found = Snapshot.objects.filter(kind=SnapshotKind.NOTE) if model is Note else model._default_manager.all()
    rows = found.filter(subject=OuterRef("pk")).order_by().values("subject")
    return Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), Value(0))


def _profile(subject: Subject, moment: RequestedMoment) -> PageSection:
    facts, more = _first_rows(
        profile_facts(subject, **moment.selector_arguments).order_by("is_attribute", "field"), SUBJECT_PAGE.beliefs
    )
    sources = _sources(ProfileFactSource, subject, [fact.value_id for fact in facts])
    rows = [_belief_row(fact, field_name(fact.field, is_attribute=fact.is_attribute), sources) for fact in facts]
    return PageSection(rows, list_address(ProfileFact, subject=subject.pk), more)


def _preferences(subject: Subject, moment: RequestedMoment) -> PageSection:
    found = preferences_at(subject, **moment.selector_arguments).order_by("category", "key")
    preferences, more = _first_rows(found, SUBJECT_PAGE.beliefs)
    sources = _sources(PreferenceSource, subject, [preference.value_id for preference in preferences])
    categories: dict[str, Rows] = defaultdict(list)
    for preference in preferences:
        categories[preference.category].append(_belief_row(preference, preference.key, sources))
    rows = [{"category": category, "rows": inside} for category, inside in categories.items()]
    return PageSection(rows, list_address(Preference, subject=subject.pk), more)


def _belief_row(row: ProfileFact | Preference, name: str, sources: dict[UUID, Rows]) -> dict[str, Any]:
    return {
        "link": link_to(type(row), row.value_id, name),
        "value": line(plain(row.value)),
        "confidence": share(row.confidence),
        "provenance": row.get_provenance_display(),
        "since": row.valid_at,
        "until": row.invalid_at,
        "sources": sources.get(row.value_id, []),
    }


def _tags(subject: Subject, moment: RequestedMoment) -> PageSection:
    found, more = _first_rows(tags_at(subject, **moment.selector_arguments), SUBJECT_PAGE.beliefs)
    tags = tags_as_held(found, **moment.selector_arguments)
    sources = _sources(TagSource, subject, [tag.pk for tag in tags])
    return PageSection([_tag(tag, sources) for tag in tags], list_address(Tag, subject=subject.pk), more)


def _tag(tag: Tag, sources: dict[UUID, Rows]) -> dict[str, Any]:
    placed = tag.lat is not None and tag.lon is not None
    return {
        "link": link(tag, tag.label),
        "kind": tag.get_kind_display(),
        "value": line(", ".join(part for part in (tag.address, tag.phone, tag.relation) if part)),
        "map": MAP.format(lat=f"{tag.lat:.6f}", lon=f"{tag.lon:.6f}") if placed else "",
        "confidence": share(tag.confidence),
        "provenance": tag.get_provenance_display(),
        "sources": sources.get(tag.pk, []),
    }


def _memories(subject: Subject, moment: RequestedMoment) -> dict[str, PageSection]:
    found = _snapshots_at(subject, moment).order_by("-said_at", "-id").defer("content_hash")
    snapshots, more = _first_rows(found, SUBJECT_PAGE.rows)
    notes, more_notes = choose_notes(subject, moment)
    if moment.clock == KNOWN_AT and moment.at is not None:
        _as_they_were(snapshots, notes, subject, moment.at)
    notes = notes_as_of(notes, moment)
    shown = [snapshot.pk for snapshot in snapshots] + [one.snapshot.pk for one in notes]
    sources = _sources(SnapshotSource, subject, shown)
    rows = [
        {
            "said_at": snapshot.said_at,
            "link": link(snapshot, snapshot.text[: SUBJECT_PAGE.text_chars]),
            "kind": snapshot.get_kind_display(),
            "superseded": snapshot.invalid_at is not None,
            "confidence": share(snapshot.confidence),
            "sources": sources.get(snapshot.pk, []),
        }
        for snapshot in snapshots
    ]
    return {
        "notes": PageSection(
            [note_row(one, sources) for one in notes], list_address(Note, subject=subject.pk), more_notes
        ),
        "snapshots": PageSection(rows, list_address(Snapshot, subject=subject.pk), more),
    }


def _snapshots_at(subject: Subject, moment: RequestedMoment) -> QuerySet[Snapshot]:
    if moment.at is None or moment.clock == AS_OF:
        return snapshots_of(subject, SnapshotFilter(as_of=moment.at, whole=True))
    held = Snapshot.objects.filter(subject=subject, recorded_at__lte=moment.at).exclude(kind__in=CUT_OUT)
    return held.exclude(retired_at__lte=moment.at)


def _as_they_were(snapshots: Sequence[Snapshot], notes: Sequence[NoteRow], subject: Subject, at: datetime) -> None:
    """Restore the values that snapshots and notes had at an earlier moment. One query."""
    details = {one.snapshot.pk: one.note for one in notes}
    rows = {snapshot.pk: snapshot for snapshot in (*snapshots, *(one.snapshot for one in notes))}
    later = SnapshotVersion.objects.filter(subject=subject, snapshot_id__in=list(rows), retired_at__gt=at)
    for version in later.order_by("-version"):
        restore(rows[version.snapshot_id], version.fields)
        if version.snapshot_id in details:
            restore_note(details[version.snapshot_id], version.fields.get(NOTE, {}))


def _conversations(subject: Subject) -> PageSection:
    return _newest(
        Conversation.objects.filter(subject=subject),
        lambda talk: {
            "at": talk.last_accepted_at or talk.created_at,
            "link": link(talk, talk.external_id),
            "status": talk.get_status_display(),
        },
        subject=subject.pk,
    )


def _receipts(subject: Subject) -> PageSection:
    return _newest(
        Receipt.objects.filter(subject=subject).defer("candidates", "rendered"),
        lambda receipt: {
            "link": link(receipt, f"{receipt.created_at:%Y-%m-%d %H:%M}"),
            "intent": in_words(receipt.intent),
            "degraded": in_words(receipt.degraded_reason),
        },
        subject=subject.pk,
    )


def _candidates(subject: Subject) -> PageSection:
    """Return the candidates that wait for a decision."""
    return _newest(
        Candidate.objects.filter(subject=subject, verdict=Verdict.PENDING),
        lambda candidate: {
            "link": link(candidate, candidate.target or in_words(candidate.kind)),
            "value": line(plain(candidate.value)),
            "reason": in_words(candidate.reason),
            "confidence": share(candidate.confidence),
        },
        subject=subject.pk,
        verdict__exact=Verdict.PENDING.value,
    )


def _work(subject: Subject) -> PageSection:
    """Return the work that is not done."""
    return _newest(
        Work.objects.filter(subject=subject).exclude(state=WorkState.DONE),
        lambda item: {
            "link": link(item, str(item.get_kind_display())),
            "state": item.get_state_display(),
            "error": in_words(item.error_code),
            "at": item.created_at,
        },
        subject=subject.pk,
    )


def _newest(found: QuerySet[Any], render: Callable[[Any], dict[str, Any]], **filters: Any) -> PageSection:
    """Return a section of the newest rows, linked to the list with these filters."""
    rows, more = _first_rows(found.order_by("-created_at", "-id"), SUBJECT_PAGE.rows)
    return PageSection(list(map(render, rows)), list_address(found.model, **filters), more)


def _first_rows(rows: QuerySet[Any], most: int) -> tuple[list[Any], bool]:
    found = list(rows[: most + 1])
    return found[:most], len(found) > most


def _sources(model: Any, subject: Subject, memories: Collection[UUID]) -> dict[UUID, Rows]:
    """Return the messages behind each memory, the earliest first and only a few of each. One query."""
    if not memories:
        return {}
    links: Iterable[tuple[UUID, UUID, datetime]] = (
        model.objects.filter(subject=subject, memory_id__in=list(memories))
        .order_by("message__said_at", "message__seq")
        .values_list("memory_id", "message_id", "message__said_at")[: SUBJECT_PAGE.sources]
    )
    found: dict[UUID, Rows] = defaultdict(list)
    for memory_id, message_id, said_at in links:
        if len(found[memory_id]) < SUBJECT_PAGE.sources_each:
            found[memory_id].append({"link": link_to(Message, message_id, f"{said_at:%Y-%m-%d}")})
    return found
