"""The page of one act on one memory: the form, the act itself, and conflicts.

A form carries the version that its page showed. If somebody else was quicker, the second person sees the changes and
keeps the input. The same form sent twice reports that nothing is left to do. After a log-in, an expired page leads
back here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.memory_actions.action_forms import StaffActionForm, make_version_token
from memory_platform.console.memory_actions.actions import (
    MAIN_VERB,
    StaffAction,
    find_current_row,
    find_run_after_commit,
    find_undoable_consolidation,
    is_already_done,
)
from memory_platform.console.memory_actions.ask_again_link import build_answer_parameter, render_ask_again_link
from memory_platform.console.memory_actions.changed_since_answer_warning import build_answer_bar
from memory_platform.console.memory_actions.memory_story import ACT_SENTENCES, find_action_of_last_act
from memory_platform.console.shared.action_reasons import read_reason
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse, respond_in_scope
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.headers.memory_sentences import describe_memory, load_subject_name
from memory_platform.console.shared.note_and_state_labels import (
    CURRENT,
    RETIRED,
    STATE_LABELS,
    VITAL_CLASS_LABELS,
    classify_state,
    find_note,
    is_note,
    render_note_facts,
)
from memory_platform.console.shared.status_badges import BAD, StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import annotate_actor_names, current_desk, make_actor
from memory_platform.console.shared.value_rendering import (
    MAX_LINE_CHARS,
    format_json_value,
    render_row_link,
    render_share_bar,
    render_text,
    render_value,
)
from memory_platform.kernel.errors import Conflict, MemoryPlatformError, NotFound, VersionMismatch
from profiles.models import Preference, Tag
from profiles.services.tags.tags import LabelTaken
from profiles.services.tombstones import ForgottenMemory
from snapshots.erasure.extent import measure_extent
from snapshots.lifecycle.staff_actions.belief_origins import OriginChanged
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, KeyTaken, NoLongerHeld, is_in_use
from snapshots.lifecycle.staff_actions.merge_memories import MergeRefused
from snapshots.lifecycle.staff_actions.undo_act import UndoImpossible, find_retired_origins
from snapshots.models import Note, Snapshot, SnapshotVersion
from snapshots.notes.values import VitalInstruction
from tenants.models import AuditRecord

REFUSAL_ERRORS = (VersionMismatch, Conflict, NotFound, ForgottenMemory, VitalInstruction)
ALREADY_DONE_TEXT = gettext_lazy("Nothing to do: this is already the case.")
# Memories that go or stay, named on the page before one is forgotten; the others are counted.
MAX_EXTENT_LINES = 20
TAG_TEXT_COLUMNS = ("address", "phone", "relation", "aliases")


class StaffActionPage:
    """One request for one act on one memory."""

    def __init__(self, screen: Any, request: HttpRequest, act: StaffAction, memory: Any) -> None:
        self.screen, self.request, self.act, self.memory = screen, request, act, memory

    def respond_to_request(self) -> HttpResponse:
        if self.request.method != "POST":
            return self.render_page(self.make_form(None))
        form = self.make_form(self.request.POST)
        if not form.is_valid():
            # What a merge ended is no longer a choice when its form is sent again.
            is_sent_again = self.act.verb == "merge" and is_already_done(self.act, self.memory, form)
            return self.report_already_done() if is_sent_again else self.render_page(form)
        outside = find_run_after_commit(self.act, self.memory, form)
        if outside is None:
            return self.respond_after_action(form, self._run_in_savepoint(form))
        return AfterCommitResponse(lambda: self._run_after_commit(form, outside))

    def make_form(self, data: Any) -> StaffActionForm:
        return self.act.find_form_class(self.memory)(self.memory, data)

    def respond_after_action(self, form: StaffActionForm, done: Any) -> HttpResponse:
        """Redirect to the memory after the act, or show the form with the error."""
        if isinstance(done, VersionMismatch | NoLongerHeld):
            if is_already_done(self.act, self.memory, form):
                return self.report_already_done()
            return self._render_conflict(form)
        if isinstance(done, UndoImpossible):
            return self._redirect_with(
                _("Nothing was undone: the action was already undone, or the memory has changed since.")
            )
        if isinstance(done, MemoryPlatformError):
            form.add_error(None, render_refusal(done))
            return self.render_page(form, status=HTTPStatus.CONFLICT)
        messages.success(self.request, self._render_success(done))
        return redirect(build_page_address(done) if done is not None else build_page_address(self.memory.subject))

    def _render_success(self, done: Any) -> str:
        """Return the message of success, with a link to the proof if an answer used the memory."""
        if self.act.is_grave:
            return str(self.act.done)
        ids = {getattr(one, "value_id", one.pk) for one in (self.memory, done) if one is not None}
        return format_html("{} {}", self.act.done, render_ask_again_link(self.request, self.memory.subject_id, ids))

    def _run_in_savepoint(self, form: StaffActionForm) -> Any:
        """Do the act in the page's transaction. Return the memory as it is now, or the error that rolled it back."""
        try:
            with transaction.atomic():
                return self.act.run(self.memory, form, self._make_doing(form))
        except REFUSAL_ERRORS as refused:
            return refused

    def _run_after_commit(self, form: StaffActionForm, run: Callable[[ActContext], Any]) -> HttpResponse:
        """Do the act after the page's transaction, and respond in a transaction of its own."""
        try:
            done: Any = run(self._make_doing(form))
        except REFUSAL_ERRORS as refused:
            done = refused
        desk = current_desk(self.request)
        if desk is None:
            return redirect("admin:index")
        return respond_in_scope(desk, lambda: self.respond_after_action(form, done))

    def _make_doing(self, form: StaffActionForm) -> ActContext:
        def accept(row_id: UUID, version: int) -> None:
            if form.cleaned_data["version"] != f"{row_id}.{version}":
                raise VersionMismatch("changed since the page was opened")

        needs_token = self.act.verb in {"confirm", "correct", "bring-back", "vital", "merge", "retire"}
        return ActContext(make_actor(self.request), read_reason(self.request), *([accept] if needs_token else []))

    def report_already_done(self) -> HttpResponse:
        return self._redirect_with(ALREADY_DONE_TEXT)

    def _redirect_with(self, text: Any) -> HttpResponse:
        messages.info(self.request, text)
        return redirect(build_page_address(self.memory))

    def _render_conflict(self, form: StaffActionForm) -> HttpResponse:
        """Return the filled form beside the memory as somebody else changed it."""
        seen = render_earlier_text(self.memory, form.cleaned_data["version"])
        now = find_current_row(self.memory)
        is_mine = self._was_changed_by_me(now)
        if now is None:
            gone = {
                "seen": seen,
                "is_gone": True,
                "is_mine": is_mine,
                "now": render_row_link(self.memory, _("its page")),
            }
            return self.render_page(form, status=HTTPStatus.CONFLICT, overtaken=gone)
        self.memory = now
        data = self.request.POST.copy()
        data["version"] = make_version_token(now)
        overtaken = {"seen": seen, "is_mine": is_mine, "now": render_memory_text(now)}
        return self.render_page(self.make_form(data), status=HTTPStatus.CONFLICT, overtaken=overtaken)

    def _was_changed_by_me(self, now: Any) -> bool:
        """Return whether the last act on the memory was this person's own, for example in another tab."""
        ids = {str(one.pk) for one in (self.memory, now) if one is not None}
        heir = getattr(type(self.memory)._default_manager.filter(pk=self.memory.pk).first(), "superseded_by_id", None)
        records = AuditRecord.objects.filter(
            subject_ref=self.memory.subject_id,
            object_id__in=ids | {str(heir)},
            action__in=list(ACT_SENTENCES),
            refused=False,
        )
        last = records.order_by("-at", "-id").first()
        return last is not None and last.actor_id == make_actor(self.request).id

    def render_page(self, form: StaffActionForm, *, status: int = 200, overtaken: Any = None) -> HttpResponse:
        memory = self.memory
        usable = (not self.act.needs_held_memory or is_in_use(memory)) and not (overtaken or {}).get("is_gone")
        return render_console_page(
            self.request,
            "console/memory_actions/action.html",
            self.act.label,
            status=status,
            subtitle=Truncator(self.screen.describe_row(memory)).chars(MAX_LINE_CHARS),
            opts=self.screen.opts,
            act=self.act,
            memory=memory,
            facts=render_memory_facts(memory),
            form=form,
            is_usable=usable,
            overtaken=overtaken,
            bar=build_answer_bar(self.request, memory) if self.act.verb == MAIN_VERB else None,
            address=build_action_address(memory, self.act.verb) + build_answer_parameter(self.request),
            page=build_page_address(memory),
            **(render_extent(memory) if self.act.is_grave else {}),
            **(self._undo_context() if self.act.verb == "undo" else {}),
        )

    def _undo_context(self) -> dict[str, Any]:
        """Return the act that an undo would reverse, with its time, actor and reason."""
        act, told = find_action_of_last_act(self.memory)
        joined = find_undoable_consolidation(self.memory)
        if act is None:
            return {"last": {"verb": _("joined"), "at": joined.created_at} if joined else None}
        records = AuditRecord.objects.filter(object_id=str(act.memory_ref), subject_ref=act.subject_id, action__in=told)
        record = annotate_actor_names(records.filter(refused=False)).order_by("-at", "-id").first()
        back = [render_text(origin.text) for origin in find_retired_origins(act)]
        return {"last": {"verb": act.get_verb_display(), "at": act.created_at, "record": record, "origins": back}}


def build_page_address(row: Any) -> str:
    """Return the address of a row's page; for a note's snapshot the page of the note."""
    return reverse(f"admin:{_find_url_prefix(row)}_change", args=[row.pk])


def build_action_address(memory: Any, verb: str) -> str:
    return reverse(f"admin:{_find_url_prefix(memory)}_act", args=[memory.pk, verb])


def _find_url_prefix(row: Any) -> str:
    """Return the prefix of the URL names of a row's screen. The screen of notes takes ids of snapshots."""
    opts = Note._meta if is_note(row) else row._meta
    return f"{opts.app_label}_{opts.model_name}"


def render_memory_text(memory: Any) -> str:
    if isinstance(memory, Snapshot):
        return render_text(memory.text)
    if isinstance(memory, Tag):
        told = [format_json_value(getattr(memory, name)) for name in TAG_TEXT_COLUMNS]
        return render_text("\n".join(filter(None, [memory.label, *told])))
    return render_value(memory.value)


def render_earlier_text(memory: Any, token: str) -> str:
    """Return the text of the token's version; "" if unknown, because a tag's past has no versions."""
    row_id, _dot, version = token.partition(".")
    if isinstance(memory, Tag) or row_id != str(memory.id) or not version.isdecimal():
        return ""
    if not isinstance(memory, Snapshot):
        return render_memory_text(memory)
    # 18 digits fit the column; the token comes from the browser.
    images = SnapshotVersion.objects.filter(snapshot=memory.id, version__gte=int(version[:18]))
    texts = [image.fields["text"] for image in images.order_by("version") if "text" in image.fields]
    return render_text(texts[0]) if texts else ""


@dataclass(frozen=True, slots=True)
class ExtentPart:
    """Lines of HTML below a title, and how many more there are."""

    title: str
    lines: Sequence[str]
    more: int = 0


def render_extent(memory: Any) -> dict[str, Any]:
    """Return the memories that forgetting this one would take along and leave, each by its sentence."""
    extent, who = measure_extent(memory), load_subject_name(memory.subject)
    goes = [_render_gone_snapshot(row, extent.vital) for row in extent.snapshots]
    goes += [_render_belief(row, who) for row in extent.beliefs]
    if isinstance(memory, Snapshot):
        title = ngettext("%d memory goes:", "%d memories go, vital ones first:", len(goes))
        said = ngettext("%d message loses its words.", "%d messages lose their words.", extent.messages)
        help_text = _(
            "These words go wherever they are stored, with the messages that said them and everything that was "
            "learned from these messages alone. This cannot be undone."
        )
    else:
        title = ngettext("%d value goes:", "%d values go, past ones too:", len(goes))
        said = ngettext("%d message that said it stays.", "%d messages that said it stay.", extent.messages)
        help_text = _(
            "Only this value goes, with every value it ever had. Messages and other memories stay, and prompts can "
            "still use them. This cannot be undone."
        )
    parts = [ExtentPart(title % len(goes), goes[:MAX_EXTENT_LINES], max(0, len(goes) - MAX_EXTENT_LINES))]
    if extent.staying:
        text = ngettext(
            "%d memory stays. It contains the value or comes from the same message:",
            "%d memories stay. They contain the value or come from the same messages:",
            extent.staying_count,
        )
        lines = [_render_staying_snapshot(row, extent.vital) for row in extent.staying]
        more = extent.staying_count - len(lines)
        parts.append(ExtentPart(text % extent.staying_count, lines, more))
    lost = ngettext("%d stored answer loses it.", "%d stored answers lose it.", extent.answers)
    counts = [text % count for text, count in ((said, extent.messages), (lost, extent.answers)) if count]
    return {"extent": parts, "extent_counts": counts, "help_text": help_text}


def _render_gone_snapshot(row: Snapshot, vital: Mapping[UUID, str]) -> str:
    badge = render_badge(StatusBadge(VITAL_CLASS_LABELS[vital[row.id]], BAD)) if row.id in vital else ""
    text = Truncator(row.text).chars(MAX_LINE_CHARS)
    return format_html('<bdi>{}</bdi> <span class="faint">{}</span> {}', text, row.get_kind_display(), badge)


def _render_staying_snapshot(row: Snapshot, vital: Mapping[UUID, str]) -> str:
    retired = STATE_LABELS[RETIRED] if row.retired_at else ""
    link = format_html('<a href="{}">{}</a>', build_action_address(row, "forget"), _("Forget"))
    return format_html('{} <span class="faint">{}</span> {}', _render_gone_snapshot(row, vital), retired, link)


def _render_belief(row: Any, who: str) -> str:
    state = classify_state(row)
    faint = "" if state == CURRENT else STATE_LABELS[state]
    text = Truncator(describe_memory(row, who)).chars(MAX_LINE_CHARS)
    return format_html('<bdi>{}</bdi> <span class="faint">{}</span>', text, faint)


def render_memory_facts(memory: Any) -> list[tuple[Any, str]]:
    facts = [(_("What it says"), render_memory_text(memory))]
    if isinstance(memory, Preference) and memory.statement:
        facts.append((_("statement"), render_text(memory.statement)))
    note = find_note(memory)
    if note is not None:
        facts += render_note_facts(note)
    known = memory.get_provenance_display()
    return [*facts, (_("confidence"), render_share_bar(memory.confidence)), (_("provenance"), known)]


def render_refusal(refused: MemoryPlatformError) -> str:
    told = {
        KeyTaken: _("Another current preference of this person has this key. Correct that one."),
        LabelTaken: _("Another tag of this person has this label. Choose a different one."),
        MergeRefused: _("Only memories of the same person and kind can be merged."),
        ForgottenMemory: _("The person asked to forget this, so it cannot be stored again."),
        OriginChanged: _(
            "A memory that it was learned from has changed since you opened the page. Please check the list again."
        ),
        VitalInstruction: _("A text that gives instructions to the model or links to a page cannot be vital."),
        NotFound: _("It no longer exists."),
    }
    return next(
        (str(text) for kind, text in told.items() if isinstance(refused, kind)),
        _("Somebody else is changing it. Please try again."),
    )
