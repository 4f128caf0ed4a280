"""The review queue: pending candidates one after the other, each with its evidence and with contradicting beliefs.

Accepting, rejecting and editing lead to the next candidate at once. If two people decide the same one, the first wins
and the second is told; likewise if it was erased meanwhile. ``review.js`` adds keys; the page works without it.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.memory_actions.value_fields import LongTextField, check_not_sensitive, make_value_field
from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.refusals import note_missing_row
from memory_platform.console.shared.rendering import (
    format_json_value,
    mark_span,
    parse_uuid,
    render_row_link,
    render_share_bar,
    render_value,
    render_word,
)
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.transcript.message_links import render_message_link
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.models import Candidate, Tag
from profiles.services.tags.tags import CLEARABLE
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Message
from snapshots.understanding.believing.belief_reviews import NO_LASTING_WORDS
from snapshots.understanding.believing.candidate_review import (
    AlreadyReviewed,
    approve_candidate,
    list_contradicted_beliefs,
    list_waiting_candidates,
    load_source_messages,
    reject_candidate,
)
from tenants.models import Role

# Of those that wait, how many stand beside the one that is decided.
MAX_LISTED = 20
MAX_COUNTED = 1_000
# Messages shown around the evidence.
MESSAGES_BEFORE, MESSAGES_AFTER = 2, 1
ACCEPT, REJECT, EDIT = "accept", "reject", "edit"
# The reason on record if the person who accepts gives no reason.
DEFAULT_ACCEPT_REASON = "accepted in the review queue: the words say so"
TAG_FIELD_CHARS = {"label": 200, "address": 1_000, "phone": 64, "relation": 100}
ERASED_TEXT = gettext_lazy("This one was erased in the meantime. Here is the next.")
ALREADY_DECIDED_TEXT = gettext_lazy("Somebody else has already decided this one. Here is the next.")


class ReviewForm(forms.Form):
    """The decision about one candidate, the reason, and the edited fields."""

    candidate = forms.UUIDField(widget=forms.HiddenInput)
    verb = forms.ChoiceField(choices=[(verb, verb) for verb in (ACCEPT, REJECT, EDIT)])
    reason = ReasonField(required=False)

    def __init__(self, row: Candidate, data: Any = None) -> None:
        super().__init__(data, initial={"candidate": row.id, **_editable_values(row)})
        self.row = row
        self.edited_names = list(_editable_values(row))
        for name, value in _editable_values(row).items():
            self.fields[name] = _make_edit_field(name, value)

    def clean(self) -> dict[str, Any]:
        """Refuse a rejection without a reason, and an edit with sensitive content."""
        given = self.cleaned_data
        if given.get("verb") == REJECT and not given.get("reason"):
            self.add_error("reason", _("Give a reason for the rejection."))
        if given.get("verb") == EDIT:
            for name in self.edited_names:
                self._check_field(name, given.get(name))
        return given

    def _check_field(self, name: str, value: Any) -> None:
        if name in ("value", "label") and value in ("", [], None) and name not in self.errors:
            self.add_error(name, _("This field is required."))
        try:
            check_not_sensitive(self.row.target if name == "value" else name, value or "")
        except forms.ValidationError as refused:
            self.add_error(name, refused)

    def edited_values(self) -> Mapping[str, Any]:
        return {name: self.cleaned_data[name] for name in self.edited_names}

    def fields_to_edit(self) -> list[Any]:
        return [self[name] for name in self.edited_names]


class ReviewQueuePage:
    """The pages of the queue on the screen of candidates."""

    def __init__(self, screen: Any, request: HttpRequest) -> None:
        self.screen, self.request = screen, request

    def respond(self) -> HttpResponse:
        """Show the candidate in the address or the next one; on POST, decide the one that was sent."""
        if self.request.method == "POST":
            return self._handle_decision(self.request.POST)
        chosen = parse_uuid(self.request.GET.get("candidate", ""))
        row = list_waiting_candidates().filter(id=chosen).first() if chosen else None
        if chosen and row is None:
            messages.info(self.request, self._choose_gone_text(chosen))
        return self._render_page(row or self._next_candidate(parse_uuid(self.request.GET.get("after", ""))))

    def _handle_decision(self, data: Any) -> HttpResponse:
        row_id = parse_uuid(data.get("candidate", ""))
        row = list_waiting_candidates().filter(id=row_id).first() if row_id else None
        if row is None:
            messages.warning(self.request, self._choose_gone_text(row_id))
            return redirect(self._build_address(after=row_id))
        form = ReviewForm(row, data)
        if not form.is_valid():
            return self._render_page(row, form)
        told = self._decide(row, form)
        verb = form.cleaned_data["verb"]
        (messages.success if told is None else messages.warning)(self.request, told or _render_notice(verb, row))
        return redirect(self._build_address(after=row.id))

    def _decide(self, row: Candidate, form: ReviewForm) -> Any:
        """Apply the decision. Return a message when somebody else was quicker, None when it is done."""
        began, by = utc_now(), make_actor(self.request)
        verb, reason = form.cleaned_data["verb"], read_reason(self.request)
        try:
            with transaction.atomic():
                if verb == REJECT:
                    done = reject_candidate(row.subject, row.id, by=by, reason=reason)
                else:
                    edits = form.edited_values() if verb == EDIT else None
                    done = approve_candidate(
                        row.subject, row.id, by=by, reason=reason or DEFAULT_ACCEPT_REASON, edits=edits
                    )
        except AlreadyReviewed:
            return ALREADY_DECIDED_TEXT
        except NotFound:
            return ERASED_TEXT
        except Conflict:
            return _("It could not be written because the memory changed at the same time. It still waits.")
        # Sent twice, the same decision is accepted; a review from before this request tells that it was the second.
        return ALREADY_DECIDED_TEXT if done.reviewed_at is not None and done.reviewed_at < began else None

    def _choose_gone_text(self, row_id: UUID | None) -> Any:
        """Return why a candidate does not wait, and note one that is not there: it may be another tenant's."""
        found = Candidate.objects.filter(id=row_id).first() if row_id else None
        if found is None:
            note_missing_row(self.request, row_id or "")
        return ALREADY_DECIDED_TEXT if found and found.reviewed_at else ERASED_TEXT

    def _next_candidate(self, after: UUID | None) -> Candidate | None:
        """Return the next pending candidate, the first one after the last; None if no candidate is pending."""
        rows = list_waiting_candidates()
        passed = Candidate.objects.filter(id=after).first() if after else None
        found = rows.filter(_created_after(passed)).first() if passed else None
        return found or rows.first()

    def _build_address(self, **query: Any) -> str:
        address = reverse("admin:profiles_candidate_review")
        given = "&".join(f"{name}={value}" for name, value in query.items() if value)
        return f"{address}?{given}" if given else address

    def _render_page(self, row: Candidate | None, form: ReviewForm | None = None) -> HttpResponse:
        return render_console_page(
            self.request,
            "console/review/review_queue.html",
            _("Review"),
            opts=self.screen.opts,
            row=row,
            count=list_waiting_candidates()[:MAX_COUNTED].count(),
            **(self._build_candidate_context(row, form) if row is not None else {}),
        )

    def _build_candidate_context(self, row: Candidate, form: ReviewForm | None) -> dict[str, Any]:
        """Return the context of one candidate's page, and record that it was viewed."""
        self.screen._record_access(self.request, "viewed", row)
        listed = list(list_waiting_candidates().filter(Q(id=row.id) | _created_after(row))[:MAX_LISTED])
        before = (
            list_waiting_candidates()
            .filter(~Q(id=row.id) & ~_created_after(row))
            .order_by("-created_at", "-id")
            .first()
        )
        return {
            "form": form or ReviewForm(row),
            "is_editing": form is not None and form.data.get("verb") == EDIT,
            "said": load_evidence_messages(row),
            "facts": render_candidate_facts(row),
            "against": [render_contradicted_belief(held) for held in list_contradicted_beliefs(row.subject, row)],
            "listed": [
                {"row": one, "address": self._build_address(candidate=one.id), "says": summarize_candidate(one)}
                for one in listed
            ],
            "next": self._build_address(after=row.id),
            "previous": self._build_address(candidate=before.id) if before else "",
            "may_decide": self.screen._has_role(self.request, Role.SUPPORT),
        }


def load_evidence_messages(row: Candidate) -> list[dict[str, Any]]:
    """Return the candidate's source message with its quote marked, and the messages around it."""
    message = load_source_messages([row]).get(row.message_ref) if row.message_ref else None
    if message is None:
        return []
    quote = row.quote_start, row.quote_end
    around = Message.objects.filter(
        subject_id=row.subject_id,
        conversation_id=message.conversation_id,
        seq__gte=message.seq - MESSAGES_BEFORE,
        seq__lte=message.seq + MESSAGES_AFTER,
    )
    return [
        {
            "who": one.get_role_display(),
            "at": one.said_at,
            "link": render_message_link(one),
            "is_evidence": one.id == message.id,
            "words": mark_span(one.content or "", *quote) if one.id == message.id else one.content or "",
        }
        for one in add_archived_words(list(around.order_by("seq")))
    ]


def render_candidate_facts(row: Candidate) -> list[tuple[Any, Any]]:
    return [
        (_("Would become"), f"{row.get_kind_display()}: {row.target}" if row.target else row.get_kind_display()),
        (_("value"), render_value(row.value if row.value is not None else _proposed_tag(row))),
        (_("Why it waits"), render_code(row.reason)),
        (_("confidence"), render_share_bar(row.confidence)),
        (_("provenance"), row.get_provenance_display()),
    ]


def render_contradicted_belief(belief: Any) -> dict[str, Any]:
    is_tag = isinstance(belief, Tag)
    says_now = (
        ", ".join(filter(None, (belief.address, belief.phone, belief.relation)))
        if is_tag
        else format_json_value(belief.value)
    )
    return {
        "link": render_row_link(belief, belief.label if is_tag else str(belief)),
        "says": render_word(says_now),
        "confidence": render_share_bar(belief.confidence),
        "provenance": belief.get_provenance_display(),
        "since": belief.created_at if is_tag else belief.valid_at,
    }


def summarize_candidate(row: Candidate) -> str:
    value = format_json_value(row.value if row.value is not None else _proposed_tag(row))
    return ": ".join(filter(None, (row.target, value)))


def _proposed_tag(row: Candidate) -> dict[str, Any]:
    known = row.proposal or {}
    return {name: known[name] for name in (*CLEARABLE, "kind") if known.get(name)}


def _editable_values(row: Candidate) -> dict[str, Any]:
    known = row.proposal or {}
    if known.get("type") == "tag":
        return {name: known.get(name) or "" for name in TAG_FIELD_CHARS}
    value = known.get("value")
    return {"value": value if isinstance(value, bool | list) else str(value or "")}


def _make_edit_field(name: str, value: Any) -> forms.Field:
    """Return the form field of an edit. Required fields are checked in edits only."""
    labels = {"label": _("Label"), "address": _("Address"), "phone": _("Phone"), "relation": _("Relation")}
    if name in TAG_FIELD_CHARS:
        return LongTextField(label=labels[name], chars=TAG_FIELD_CHARS[name], rows=1, required=False)
    field = make_value_field(value)
    field.required = False
    return field


def _created_after(row: Candidate) -> Q:
    return Q(created_at__gt=row.created_at) | Q(created_at=row.created_at, id__gt=row.id)


def _render_notice(verb: str, row: Candidate) -> Any:
    """Return the notice of a decision; a rejection links to the list where it can be undone."""
    if verb != REJECT:
        return _NOTICES[verb]
    told = _("Rejected: the belief was retired.") if row.reason == NO_LASTING_WORDS else _NOTICES[verb]
    rejected = f"{reverse('admin:profiles_candidate_changelist')}?verdict=rejected"
    return format_html('{} <a href="{}">{}</a>', told, rejected, _("Undo it in the list"))


_NOTICES: Mapping[str, Any] = {
    ACCEPT: gettext_lazy("Accepted and written to memory."),
    EDIT: gettext_lazy("Accepted with your changes."),
    REJECT: gettext_lazy("Rejected: nothing was written."),
}
