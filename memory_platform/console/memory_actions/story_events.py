"""Events of a memory, each as a sentence: learned, said again, used in answers, changed, ended."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.note_and_state_labels import is_note
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    build_list_address,
    format_json_value,
    mark_span,
    render_named,
    shorten_id,
)
from memory_platform.console.transcript.answers import LARGE_BESIDE_QUESTION, render_question
from memory_platform.console.transcript.feedback_labels import render_signal
from memory_platform.console.transcript.message_links import build_turn_address
from profiles.models import Tag, TagDetail
from snapshots.conversation_queries import add_archived_words
from snapshots.lifecycle.staff_actions.memory_actions import ActedMemory
from snapshots.models import SOURCES, Message, Note, Receipt, ReceiptMemory, Snapshot, SnapshotVersion, VitalClass
from snapshots.receipts.read import find_positions_without_rows, list_receipts

MAX_SOURCES = 10
MAX_ANSWERS = 10
# Answers that are counted before the page says "more than".
MAX_COUNTED_ANSWERS = 1_000
MAX_VERSIONS = 50
MAX_QUOTE_CHARS = 240
MAX_VALUE_CHARS = 90
# Characters around the marked part of a long message.
QUOTE_MARGIN = 60
# A change and the record of the act that made it are stored in one transaction.
ONE_ACT = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class StoryEvent:
    """One thing that happened. ``sentence`` and ``details`` are HTML. ``may_undo``: the page undoes it in place."""

    at: datetime
    sentence: str
    details: Sequence[str] = ()
    reason: str = ""
    may_undo: bool = False


@dataclass(frozen=True, slots=True)
class UsedAnswer:
    """An answer whose prompt held the memory."""

    at: datetime
    line: str


@dataclass(frozen=True, slots=True)
class StoryChange:
    """The change of a memory at a moment, as HTML."""

    at: datetime
    text: str


@dataclass(slots=True)
class SourcesOfStory:
    """The messages behind a memory, the earliest first, and their events."""

    messages: Sequence[Message]
    events: list[StoryEvent] = field(default_factory=list)


def load_source_events(memory: Any, note: Note | None) -> SourcesOfStory:
    """Return the messages behind a memory as events: learned from the first, said again in the others. ``note``: that
    of the memory, if it is one."""
    links = SOURCES[type(memory)]._default_manager.filter(
        memory_id=getattr(memory, "value_id", memory.pk), subject_id=memory.subject_id
    )
    rows = links.select_related("message").order_by("message__said_at", "message__seq")[:MAX_SOURCES]
    messages = add_archived_words([row.message for row in rows])
    origin = _find_origin(memory, messages) if note else None
    told = SourcesOfStory(messages)
    for message in messages:
        span = (note.span_start, note.span_end) if note and message == origin else (None, None)
        pattern = _("Learned from {}") if message == messages[0] else _("Said again: {}")
        told.events.append(StoryEvent(message.said_at, format_html(pattern, render_quote(message, span))))
    return told


def render_quote(message: Message, span: tuple[int | None, int | None]) -> str:
    """Return a message's words in quotation marks, linked to its turn, with the span marked."""
    text, (start, end) = message.content or "", span
    if start is not None and end is not None and len(text) > MAX_QUOTE_CHARS:
        cut = max(0, start - QUOTE_MARGIN)
        text, start, end = text[cut : end + QUOTE_MARGIN], start - cut, end - cut
    words = mark_span(Truncator(text).chars(MAX_QUOTE_CHARS) if start is None else text, start, end)
    shown = words or _("a message without text")
    address = build_turn_address(message.conversation_id, message.id)
    return format_html('<a class="quote" href="{}"><q><bdi>{}</bdi></q></a>', address, shown)


def _find_origin(memory: Snapshot, behind: Sequence[Message]) -> Message | None:
    """Return the message that a note was made of; the others repeated it."""
    place = (memory.conversation_id, memory.seq)
    made_of = (one for one in behind if (one.conversation_id, one.seq) == place)
    return next(made_of, behind[0] if behind else None)


def load_used_answers(memory: Any) -> tuple[list[UsedAnswer], str]:
    """Return the newest answers whose prompt held the memory, the earliest first, and a link to all if there are more.
    At most five queries."""
    memory_id = getattr(memory, "value_id", memory.pk)  # an image of a belief before a change was never in a prompt
    receipts = list_receipts(memory_id=memory_id).filter(subject_id=memory.subject_id)
    newest = list(receipts.defer(None).defer(*LARGE_BESIDE_QUESTION).order_by("-created_at", "-id")[: MAX_ANSWERS + 1])
    shown = newest[:MAX_ANSWERS][::-1]
    ids = [one.pk for one in shown]
    injected = ReceiptMemory.objects.filter(memory_ref=memory_id, subject_id=memory.subject_id, receipt_id__in=ids)
    outcomes = {row.receipt_id: row for row in injected.order_by()}
    due = find_positions_without_rows(memory_id, [one for one in ids if one not in outcomes])
    answers = [UsedAnswer(one.created_at, _render_answer(one, outcomes.get(one.pk), due.get(one.pk))) for one in shown]
    return answers, _render_link_to_all(receipts, memory_id) if len(newest) > MAX_ANSWERS else ""


def _render_link_to_all(receipts: Any, memory_id: Any) -> str:
    number = receipts[: MAX_COUNTED_ANSWERS + 1].count()
    many = number > MAX_COUNTED_ANSWERS
    text = _("See all, more than %(number)d") if many else _("See all %(number)d")
    address = build_list_address(Receipt, memory=memory_id)
    return format_html('<a href="{}">{}</a>', address, text % {"number": min(number, MAX_COUNTED_ANSWERS)})


def _render_answer(receipt: Receipt, outcome: ReceiptMemory | None, due: int | None) -> str:
    position = outcome.context_position if outcome else due
    address = build_change_address(Receipt, receipt.pk)
    link = address if position is None else f"{address}#place-{position}"
    told: list[Any] = [render_time_ago(receipt.created_at)]
    if outcome is not None and outcome.utilised is not None:
        told.append(_("used in the reply") if outcome.utilised else _("not used in the reply"))
    if outcome is not None and outcome.signal:
        told.append(render_signal(outcome.signal, outcome.signal_reason))
    return format_html(
        '<a href="{}">{}</a> <span class="faint">· {}</span>',
        link,
        render_question(receipt),
        format_html_join(" · ", "{}", ((one,) for one in told)),
    )


def tell_uses(answers: Sequence[UsedAnswer]) -> StoryEvent:
    """Return answers that followed each other as one event."""
    count = len(answers)
    text = ngettext("Used in %(count)d answer", "Used in %(count)d answers", count) % {"count": count}
    return StoryEvent(answers[-1].at, text, tuple(one.line for one in answers))


def load_changes(memory: ActedMemory, note: Note | None) -> list[StoryChange]:
    """Return the changes of a memory that kept its row, the earliest first. A belief gets a new row for each value."""
    if isinstance(memory, Snapshot):
        return list(_list_snapshot_changes(memory, note))
    return list(_list_tag_changes(memory)) if isinstance(memory, Tag) else []


def _list_snapshot_changes(memory: Snapshot, note: Note | None) -> Iterator[StoryChange]:
    versions = SnapshotVersion.objects.filter(snapshot_id=memory.pk, subject_id=memory.subject_id)
    now = _render_snapshot_parts(memory, note)
    told: list[StoryChange] = []
    for version in versions.order_by("-version")[:MAX_VERSIONS]:
        was = {**version.fields, **version.fields.get("note", {})}
        lines = []
        for name, label in _snapshot_labels().items():
            if name in was:
                before = _render_part(name, was[name])
                if before != now[name]:
                    lines.append(render_change(before, now[name], label))
                now[name] = before
        if lines:
            told.append(StoryChange(version.retired_at, format_html_join("; ", "{}", ((one,) for one in lines))))
    yield from reversed(told)


def _snapshot_labels() -> dict[str, Any]:
    return {"text": "", "confidence": _("confidence"), "vital_class": _("vital"), "about_label": _("about")}


def _render_snapshot_parts(memory: Snapshot, note: Note | None) -> dict[str, str]:
    rows = {"text": memory, "confidence": memory, "vital_class": note, "about_label": note}
    return {name: _render_part(name, getattr(row, name, "")) for name, row in rows.items()}


def _render_part(name: str, value: Any) -> str:
    if name == "confidence" and value not in ("", None):
        return f"{value:.2f}"
    if name == "vital_class":
        return str(VitalClass(value).label) if value in VitalClass.values else str(_("not vital"))
    return str(value or "")


def _list_tag_changes(tag: Tag) -> Iterator[StoryChange]:
    own = TagDetail.objects.filter(tag_id=tag.pk, subject_id=tag.subject_id)
    held: dict[str, TagDetail] = {}
    for row in own.filter(version_of__isnull=True).order_by("valid_at", "recorded_at"):
        earlier, name = held.get(row.detail), row.get_detail_display()
        if row.retired_at is not None:
            # An undo has taken it back, and says so itself.
            before = format_json_value(earlier.value) if earlier else ""
            yield StoryChange(row.recorded_at, render_change(before, format_json_value(row.value), name))
            continue
        if earlier is not None:
            change = render_change(format_json_value(earlier.value), format_json_value(row.value), name)
            yield StoryChange(row.valid_at, change)
        held[row.detail] = row
    for row in held.values():
        if row.invalid_at is not None:
            change = render_change(format_json_value(row.value), "", row.get_detail_display())
            yield StoryChange(row.invalid_at, change)


def render_change(before: str, after: str, label: Any = "") -> SafeString:
    """Return "label: before → after" as HTML."""
    shown = [Truncator(one).chars(MAX_VALUE_CHARS) or "\N{EN DASH}" for one in (before, after)]
    change = format_html('<bdi class="was">{}</bdi> → <bdi>{}</bdi>', *shown)
    return render_named(label, change) if label else change


def pop_changes_at(at: datetime, changes: list[StoryChange]) -> str:
    """Return the changes of an act as HTML, and remove them from those that are told on their own."""
    own = [one for one in changes if abs(one.at - at) <= ONE_ACT]
    changes[:] = [one for one in changes if one not in own]
    return format_html_join("; ", "{}", ((one.text,) for one in own))


def render_memory_words(row: Any) -> str:
    """Return the words of a memory, in one line."""
    if isinstance(row, Snapshot):
        words = row.text
    elif isinstance(row, Tag):
        words = row.label
    else:
        words = format_json_value(row.value)
    return Truncator(words).chars(MAX_VALUE_CHARS) or shorten_id(row.pk)


def render_memory_link(row: Any, words: str = "") -> str:
    model = Note if is_note(row) else type(row)
    address = build_change_address(model, row.pk)
    return format_html('<a href="{}"><bdi>{}</bdi></a>', address, words or render_memory_words(row))


def join_uses(events: Iterable[StoryEvent], answers: Sequence[UsedAnswer]) -> list[StoryEvent]:
    """Return one list, the earliest first; answers between the same two other events are told as one."""
    told = sorted(events, key=lambda one: one.at)
    joined: list[StoryEvent] = []
    waiting = list(answers)
    for event in told:
        before = [one for one in waiting if one.at < event.at]
        waiting = waiting[len(before) :]
        joined += [tell_uses(before)] if before else []
        joined.append(event)
    return [*joined, tell_uses(waiting)] if waiting else joined
