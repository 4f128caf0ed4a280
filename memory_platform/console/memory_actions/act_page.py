"""The page of one act on one memory: the form, the act itself, and conflicts.

A form carries the version that its page showed. Whoever comes second sees the changes and keeps the input. The same
form sent twice reports that nothing is left to do. After a log-in, an expired page leads back here.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.memory_actions.acts import Act, consolidation_of, holds_now, is_already_so, outside_run
from memory_platform.console.memory_actions.forms import ActForm, token_of
from memory_platform.console.shared.access import actor_of, current_desk, with_names
from memory_platform.console.shared.display import LINE, link, plain, share, value_whole, whole
from memory_platform.console.shared.note_words import facts_of_note, is_note, note_behind
from memory_platform.console.shared.outside_transaction import AfterCommit, answer_in_scope
from memory_platform.console.shared.pages import own_page
from memory_platform.console.shared.reasons import reason_of
from memory_platform.kernel.errors import Conflict, MemoryPlatformError, NotFound, VersionMismatch
from profiles.models import Preference, Tag
from profiles.services.tags.tags import LabelTaken
from profiles.services.tombstones import ForgottenMemory
from snapshots.lifecycle.staff_actions.actions import Doing, NoLongerHeld, is_held
from snapshots.lifecycle.staff_actions.merging import NotToBeMerged
from snapshots.lifecycle.staff_actions.origins import OriginChanged
from snapshots.lifecycle.staff_actions.undo import UndoImpossible, last_act, origins_retired
from snapshots.models import ActVerb, Note, Snapshot, SnapshotVersion
from snapshots.notes.values import VitalInstruction
from tenants.models import AuditRecord

REFUSALS = (VersionMismatch, Conflict, NotFound, ForgottenMemory, VitalInstruction)
SO_ALREADY = gettext_lazy("Nothing to do: this is already the case.")
# How the audit trail calls it when a memory is retired.
RETIRING = ("preference.retracted", "profile.retracted", "snapshot.retired")
TAG_SAYS = ("address", "phone", "relation", "aliases")


class ActPage:
    """One request for one act on one memory."""

    def __init__(self, screen: Any, request: HttpRequest, act: Act, memory: Any) -> None:
        self.screen, self.request, self.act, self.memory = screen, request, act, memory

    def answer(self) -> HttpResponse:
        if self.request.method != "POST":
            return self.render(self.form(None))
        form = self.form(self.request.POST)
        if not form.is_valid():
            # What a merge ended is no longer a choice when its form is sent again.
            is_sent_again = self.act.verb == "merge" and is_already_so(self.act, self.memory, form)
            return self._redirect_with(SO_ALREADY) if is_sent_again else self.render(form)
        outside = outside_run(self.act, self.memory, form)
        if outside is None:
            return self.respond(form, self._do_act(form))
        return AfterCommit(lambda: self._outside(form, outside))

    def form(self, data: Any) -> ActForm:
        return self.act.form_for(self.memory)(self.memory, data)

    def respond(self, form: ActForm, done: Any) -> HttpResponse:
        """Redirect to the memory after the act, or show the form with the error."""
        if isinstance(done, VersionMismatch | NoLongerHeld):
            if is_already_so(self.act, self.memory, form):
                return self._redirect_with(SO_ALREADY)
            return self._render_conflict(form)
        if isinstance(done, UndoImpossible):
            return self._redirect_with(
                _("Nothing was undone: the act was already undone, or the memory has changed since.")
            )
        if isinstance(done, MemoryPlatformError):
            form.add_error(None, in_words(done))
            return self.render(form, status=HTTPStatus.CONFLICT)
        messages.success(self.request, self.act.done)
        return redirect(page_of(done) if done is not None else page_of(self.memory.subject))

    def _do_act(self, form: ActForm) -> Any:
        """Do the act in the page's transaction. Return the memory as it is now, or the error that rolled it back."""
        try:
            with transaction.atomic():
                return self.act.run(self.memory, form, self._doing(form))
        except REFUSALS as refused:
            return refused

    def _outside(self, form: ActForm, run: Callable[[Doing], Any]) -> HttpResponse:
        """Do the act after the page's transaction, and respond in a transaction of its own."""
        try:
            done: Any = run(self._doing(form))
        except REFUSALS as refused:
            done = refused
        desk = current_desk(self.request)
        if desk is None:
            return redirect("admin:index")
        return answer_in_scope(desk, lambda: self.respond(form, done))

    def _doing(self, form: ActForm) -> Doing:
        def accept(row_id: UUID, version: int) -> None:
            if form.cleaned_data["version"] != f"{row_id}.{version}":
                raise VersionMismatch("changed since the page was opened")

        needs_token = self.act.verb in {"confirm", "correct", "bring-back", "vital", "merge", "retire"}
        return Doing(actor_of(self.request), reason_of(self.request), *([accept] if needs_token else []))

    def _redirect_with(self, text: Any) -> HttpResponse:
        messages.info(self.request, text)
        return redirect(page_of(self.memory))

    def _render_conflict(self, form: ActForm) -> HttpResponse:
        """Return the filled form beside the memory as somebody else changed it."""
        seen = earlier_text(self.memory, form.cleaned_data["version"])
        now = holds_now(self.memory)
        if now is None:
            gone = {"seen": seen, "is_gone": True, "now": link(self.memory, _("its page"))}
            return self.render(form, status=HTTPStatus.CONFLICT, overtaken=gone)
        self.memory = now
        data = self.request.POST.copy()
        data["version"] = token_of(now)
        overtaken = {"seen": seen, "now": current_text(now)}
        return self.render(self.form(data), status=HTTPStatus.CONFLICT, overtaken=overtaken)

    def render(self, form: ActForm, *, status: int = 200, overtaken: Any = None) -> HttpResponse:
        memory = self.memory
        usable = (not self.act.held_only or is_held(memory)) and not (overtaken or {}).get("is_gone")
        return own_page(
            self.request,
            "console/act.html",
            self.act.label,
            status=status,
            subtitle=Truncator(self.screen.title_of(memory)).chars(LINE),
            opts=self.screen.opts,
            act=self.act,
            memory=memory,
            facts=facts_of(memory),
            is_tag=isinstance(memory, Tag),
            form=form,
            is_usable=usable,
            overtaken=overtaken,
            address=act_address(memory, self.act.verb),
            page=page_of(memory),
            **(self._undo_context() if self.act.verb == "undo" else {}),
        )

    def _undo_context(self) -> dict[str, Any]:
        """Return the act that an undo would reverse, with its time, actor and reason."""
        act, joined = last_act(self.memory), consolidation_of(self.memory)
        if act is None:
            return {"last": {"verb": _("joined"), "at": joined.created_at} if joined else None}
        told = RETIRING if act.verb == ActVerb.RETIRED else (f"memory.{act.verb}",)
        records = AuditRecord.objects.filter(object_id=str(act.memory_ref), subject_ref=act.subject_id, action__in=told)
        record = with_names(records.filter(refused=False)).order_by("-at", "-id").first()
        back = [whole(origin.text) for origin in origins_retired(act)]
        return {"last": {"verb": act.get_verb_display(), "at": act.created_at, "record": record, "origins": back}}


def page_of(row: Any) -> str:
    """Return the address of a row's page; for a note's snapshot the page of the note."""
    return reverse(f"admin:{_screen_of(row)}_change", args=[row.pk])


def act_address(memory: Any, verb: str) -> str:
    return reverse(f"admin:{_screen_of(memory)}_act", args=[memory.pk, verb])


def _screen_of(row: Any) -> str:
    """Return the prefix of the URL names of a row's screen. The screen of notes takes ids of snapshots."""
    opts = Note._meta if is_note(row) else row._meta
    return f"{opts.app_label}_{opts.model_name}"


def current_text(memory: Any) -> str:
    if isinstance(memory, Snapshot):
        return whole(memory.text)
    if isinstance(memory, Tag):
        told = [plain(getattr(memory, name)) for name in TAG_SAYS]
        return whole("\n".join(filter(None, [memory.label, *told])))
    return value_whole(memory.value)


def earlier_text(memory: Any, token: str) -> str:
    """Return the text of the token's version; "" if unknown, because a tag's past has no versions."""
    row_id, _dot, version = token.partition(".")
    if isinstance(memory, Tag) or row_id != str(memory.id) or not version.isdecimal():
        return ""
    if not isinstance(memory, Snapshot):
        return current_text(memory)
    # 18 digits fit the column; the token comes from the browser.
    images = SnapshotVersion.objects.filter(snapshot=memory.id, version__gte=int(version[:18]))
    texts = [image.fields["text"] for image in images.order_by("version") if "text" in image.fields]
    return whole(texts[0]) if texts else ""


def facts_of(memory: Any) -> list[tuple[Any, str]]:
    """Return label and value (HTML) of a memory's properties."""
    facts = [(_("What it says"), current_text(memory))]
    if isinstance(memory, Preference) and memory.statement:
        facts.append((_("statement"), whole(memory.statement)))
    note = note_behind(memory)
    if note is not None:
        facts += facts_of_note(note)
    known = memory.get_provenance_display()
    return [*facts, (_("confidence"), share(memory.confidence)), (_("provenance"), known)]


def in_words(refused: MemoryPlatformError) -> str:
    told = {
        LabelTaken: _("Another tag of this subject has this label. Choose a different one."),
        NotToBeMerged: _("Only memories of the same subject and kind can be merged."),
        ForgottenMemory: _("The subject asked to forget this, so it cannot be stored again."),
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
