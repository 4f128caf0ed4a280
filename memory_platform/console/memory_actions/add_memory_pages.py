"""The pages on which staff add a note or a preference for a person."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.memory_actions.action_page import build_page_address, render_refusal
from memory_platform.console.memory_actions.story_events import render_quote
from memory_platform.console.memory_actions.value_fields import (
    LongTextField,
    check_not_sensitive,
    make_place_fields,
    parse_plain_value,
)
from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse, respond_in_scope
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.headers.shown_person import note_shown_person
from memory_platform.console.shared.note_and_state_labels import VITAL_CLASS_LABELS
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.shared.value_rendering import build_change_address, parse_uuid
from memory_platform.console.transcript.message_links import MESSAGE_PARAMETER
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.kernel.text import collapse_spaces, remove_invisible
from profiles.models import Subject
from profiles.services.tombstones import ForgottenMemory
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, KeyTaken, add_preference
from snapshots.models import Message, Note, Snapshot
from snapshots.notes.staff_notes import NoteKnown, add_staff_note, prepare_staff_note
from snapshots.notes.values import NewNote, VitalInstruction
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.drafting.repeated_notes import find_repeated_text
from snapshots.understanding.grading.handwritten_note_grade import grade_posted_note, suggest_vital_class
from tenants.isolation import tenant_tx
from tenants.models import Role

# The vital class of a note is then read from its words.
BY_WORDS = "by_words"
REFUSALS = (VitalInstruction, ForgottenMemory, NoteKnown, KeyTaken)


class AddNoteForm(forms.Form):
    """A note in the person's words, and why it is vital, if it is."""

    text = LongTextField(
        label=gettext_lazy("The note"),
        rows=4,
        help_text=gettext_lazy("One lasting thing, in the person’s own words if you know them."),
    )
    vital_class = forms.ChoiceField(
        label=gettext_lazy("Vital"),
        choices=[(BY_WORDS, gettext_lazy("decide from its text")), *VITAL_CLASS_LABELS.items()],
        initial=BY_WORDS,
        required=False,
        help_text=gettext_lazy(
            "A vital note is in every context: a mistake about it can hurt somebody or break a law."
        ),
    )
    reason = ReasonField()

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"])
        if not collapse_spaces(remove_invisible(text)):
            raise forms.ValidationError(_("This field is required."), code="required")
        check_not_sensitive("text", text)
        return text

    def chosen_class(self) -> str | None:
        chosen: str = self.cleaned_data["vital_class"]
        return None if chosen == BY_WORDS else chosen


class AddPreferenceForm(forms.Form):
    """A preference's place, value and statement."""

    value = LongTextField(label=gettext_lazy("Value"), rows=1, help_text=gettext_lazy("A text, a number, yes or no."))
    statement = LongTextField(label=gettext_lazy("In the user's words"), required=False, rows=2)
    reason = ReasonField()

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields |= make_place_fields()
        for name in ("category", "key"):
            self.fields[name].required = True
            self.fields[name].help_text = ""
        self.order_fields(["category", "key", "value", "statement", "reason"])

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in ("value", "statement"):
            try:
                check_not_sensitive(given.get("key", "") if name == "value" else name, given.get(name) or "")
            except forms.ValidationError as refused:
                self.add_error(name, refused)
        return given


@dataclass(frozen=True, slots=True)
class AddPage:
    """A page that adds something for a person. ``message``: the turn in which it was said."""

    screen: Any
    request: HttpRequest
    subject: Subject
    title: str
    help_text: str
    message: Message | None = None

    def render(self, form: Any) -> HttpResponse:
        return render_console_page(
            self.request,
            "console/memory_actions/add_memory.html",
            self.title,
            subtitle=self.subject.external_id,
            opts=self.screen.opts,
            page=build_change_address(Subject, self.subject.pk),
            address=self.request.get_full_path(),
            form=form,
            help_text=self.help_text,
            quote=render_quote(self.message, (None, None)) if self.message else "",
        )


def show_add_note(screen: Any, request: HttpRequest, subject_id: str) -> HttpResponse:
    """Show the form, or add the note. ``message`` in the address: the turn in which it was said."""
    subject = _find_subject(screen, request, subject_id)
    message = _find_message(subject, request.GET.get(MESSAGE_PARAMETER, ""))
    desk = current_desk(request)
    help_text = _("The note is added as corrected by staff, through the same checks as every note.")
    page = AddPage(screen, request, subject, _("Add a note"), help_text, message)
    form = AddNoteForm(request.POST if request.method == "POST" else None)
    if not form.is_bound or not form.is_valid() or desk is None:
        return page.render(form)
    doing = ActContext(make_actor(request), read_reason(request))

    def add() -> Snapshot:
        text, said_at = form.cleaned_data["text"], message.said_at if message else None
        offer = prepare_staff_note(
            NewNote(text, vital_class=form.chosen_class(), said_at=said_at),
            active_embedders(),
            mask=mask_sensitive,
            suggest=suggest_vital_class,
            read_grade=grade_posted_note,
        )
        with tenant_tx(desk.tenant.id):
            return add_staff_note(subject, offer, doing, find_repeated=find_repeated_text, message=message)

    def answer() -> HttpResponse:
        done = _run(add)
        return respond_in_scope(desk, lambda: _respond(page, form, done))

    return AfterCommitResponse(answer)


def show_add_preference(screen: Any, request: HttpRequest, subject_id: str) -> HttpResponse:
    """Show the form, or add the preference."""
    subject = _find_subject(screen, request, subject_id)
    help_text = _("The preference is added as corrected by staff.")
    page = AddPage(screen, request, subject, _("Add a preference"), help_text)
    form = AddPreferenceForm(request.POST if request.method == "POST" else None)
    if not form.is_bound or not form.is_valid():
        return page.render(form)
    given = form.cleaned_data
    doing = ActContext(make_actor(request), read_reason(request))

    def add() -> Any:
        with transaction.atomic():
            value = parse_plain_value(given["value"])
            return add_preference(subject, given["category"], given["key"], value, doing, statement=given["statement"])

    return _respond(page, form, _run(add))


def _run(add: Callable[[], Any]) -> Any:
    """Return the memory added, or the error that refused it."""
    try:
        return add()
    except REFUSALS as refused:
        return refused


def _respond(page: AddPage, form: Any, done: Any) -> HttpResponse:
    if isinstance(done, NoteKnown):
        link = format_html('<a href="{}">{}</a>', build_change_address(Note, done.note_id), _("Show it"))
        form.add_error("text", format_html("{} {}", _("A current note already says this."), link))
        return page.render(form)
    if isinstance(done, MemoryPlatformError):
        form.add_error(None, render_refusal(done))
        return page.render(form)
    messages.success(page.request, _("Added. The next answer can use it."))
    return redirect(build_page_address(done))


def _find_subject(screen: Any, request: HttpRequest, subject_id: str) -> Subject:
    if not screen._has_role(request, Role.SUPPORT):
        raise PermissionDenied
    named = parse_uuid(subject_id)
    subject = Subject.objects.filter(pk=named, erasing=False).first() if named else None
    if subject is None:
        raise Http404
    note_shown_person(request, subject)
    return subject


def _find_message(subject: Subject, named: str) -> Message | None:
    """Return the message that the address names. Raises Http404 if it is not one of the subject's."""
    if not named:
        return None
    message_id: UUID | None = parse_uuid(named)
    found = Message.objects.filter(pk=message_id, subject_id=subject.pk).first() if message_id else None
    if found is None:
        raise Http404
    return add_archived_words([found])[0]
