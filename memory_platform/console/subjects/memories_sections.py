"""Remembered words on a subject's page: notes, the assistant's words, and snapshots, as of a moment."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.note_and_state_labels import CURRENT, classify_state
from memory_platform.console.shared.value_rendering import build_list_address, render_row_link, render_share_bar
from memory_platform.console.subjects.notes_section import PageNote, choose_notes, filter_notes_as_of, render_page_note
from memory_platform.console.subjects.page_section import PageRows, PageSection, load_sources
from memory_platform.console.subjects.past_moment import AS_OF, KNOWN_AT, RequestedMoment
from profiles.models import Subject
from snapshots.embedding.snapshot_history import NOTE, restore_note, restore_snapshot
from snapshots.lifecycle.selectors import SnapshotFilter, find_snapshots
from snapshots.models import CUT_OUT, Note, Snapshot, SnapshotKind, SnapshotSource, SnapshotVersion


def build_memory_sections(subject: Subject, moment: RequestedMoment) -> dict[str, PageSection]:
    """Return the sections of vital and other notes, of the assistant's words and of snapshots, as of the moment."""
    (snapshots, more), (replies, more_replies) = _load_snapshots_and_replies(subject, moment)
    notes, more_notes = choose_notes(subject, moment)
    now = {one.pk: _describe_state(one) for one in (*snapshots, *replies, *(note.snapshot for note in notes))}
    if moment.clock == KNOWN_AT and moment.at is not None:
        _restore_earlier_values([*snapshots, *replies], notes, subject, moment.at)
    notes = filter_notes_as_of(notes, moment)
    sources = load_sources(subject, {SnapshotSource: list(now)})

    def is_changed(snapshot: Snapshot) -> bool:
        """Return whether the snapshot has ended or says something else since the moment."""
        return moment.at is not None and now[snapshot.pk] != (CURRENT, snapshot.text)

    def render_rows(rows: Sequence[Snapshot]) -> PageRows:
        return [{**_render_snapshot(one, sources), "changed": is_changed(one)} for one in rows]

    note_rows = [{**render_page_note(one, sources), "changed": is_changed(one.snapshot)} for one in notes]
    # Stable: within a class the newest stay first.
    vital_rows = sorted((row for row in note_rows if row["vital"]), key=itemgetter("vital"))
    lists = [build_list_address(model, subject=subject.pk) for model in (Note, Snapshot)]
    vital_list = build_list_address(Note, subject=subject.pk, vital="any")
    reply_list = build_list_address(Snapshot, subject=subject.pk, kind__exact=SnapshotKind.REPLY.value)
    return {
        "vital": PageSection("vital", _("Vital"), vital_rows, vital_list),
        "notes": PageSection("notes", _("Notes"), [row for row in note_rows if not row["vital"]], lists[0], more_notes),
        "replies": PageSection("replies", _("What the assistant said"), render_rows(replies), reply_list, more_replies),
        "snapshots": PageSection("snapshots", _("Snapshots"), render_rows(snapshots), lists[1], more),
    }


def _load_snapshots_and_replies(
    subject: Subject, moment: RequestedMoment
) -> tuple[tuple[list[Snapshot], bool], tuple[list[Snapshot], bool]]:
    """Return the newest of both, and whether there are more. One query."""
    found = _find_snapshots_at(subject, moment).order_by("-said_at", "-id").defer("content_hash")
    most = SUBJECT_PAGE.max_rows
    parts = (found.exclude(kind__in=CUT_OUT), found.filter(kind=SnapshotKind.REPLY))
    rows = list(parts[0][: most + 1].union(parts[1][: most + 1], all=True))
    snapshots = [row for row in rows if row.kind not in CUT_OUT]
    replies = [row for row in rows if row.kind == SnapshotKind.REPLY]
    return (snapshots[:most], len(snapshots) > most), (replies[:most], len(replies) > most)


def _describe_state(snapshot: Snapshot) -> tuple[str, str]:
    return classify_state(snapshot), snapshot.text


def _render_snapshot(snapshot: Snapshot, sources: Mapping[UUID, PageRows]) -> dict[str, Any]:
    return {
        "said_at": snapshot.said_at,
        "link": render_row_link(snapshot, snapshot.text[: SUBJECT_PAGE.text_chars]),
        "kind": snapshot.get_kind_display(),
        "superseded": snapshot.invalid_at is not None,
        "confidence": render_share_bar(snapshot.confidence),
        "sources": sources.get(snapshot.pk, []),
    }


def _find_snapshots_at(subject: Subject, moment: RequestedMoment) -> QuerySet[Snapshot]:
    if moment.at is None or moment.clock == AS_OF:
        return find_snapshots(subject, SnapshotFilter(as_of=moment.at))
    held = Snapshot.objects.filter(subject=subject, recorded_at__lte=moment.at)
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
