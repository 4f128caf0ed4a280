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

from memory_platform.console.memory_actions.fields import LongText, refuse_sensitive, value_field
from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.codes import in_words
from memory_platform.console.shared.display import link, mark_span, parse_uuid, plain, share, value_whole, word
from memory_platform.console.shared.pages import own_page
from memory_platform.console.shared.reasons import ReasonField, reason_of
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.models import Candidate, Tag
from profiles.services.tags.tags import CLEARABLE
from snapshots.models import Message
from snapshots.selectors import with_words
from snapshots.understanding.believing.asked_beliefs import NO_LASTING_WORDS
from snapshots.understanding.believing.review import (
    AlreadyReviewed,
    approve,
    contradicted,
    messages_behind,
    reject,
    waiting,
)
from tenants.models import Role

# Of those that wait, how many stand beside the one that is decided.
LISTED_MOST = 20
COUNTED_MOST = 1_000
# Messages shown around the evidence.
BEFORE, AFTER = 2, 1
ACCEPT, REJECT, EDIT = "accept", "reject", "edit"
# The reason on record where who accepts writes none.
SAID_SO = "accepted in the review queue: the words say so"
TAG_FIELDS = {"label": 200, "address": 1_000, "phone": 64, "relation": 100}
GONE = gettext_lazy("This one was erased in the meantime. Here is the next.")
DECIDED = gettext_lazy("Somebody else has already decided this one. Here is the next.")


class ReviewForm(forms.Form):
    """The decision about one candidate, the reason, and the edited fields."""

    candidate = forms.UUIDField(widget=forms.HiddenInput)
    verb = forms.ChoiceField(choices=[(verb, verb) for verb in (ACCEPT, REJECT, EDIT)])
    reason = ReasonField(required=False)

    def __init__(self, row: Candidate, data: Any = None) -> None:
        super().__init__(data, initial={"candidate": row.id, **_editable_fields(row)})
        self.row = row
        self.edited = list(_editable_fields(row))
        for name, value in _editable_fields(row).items():
            self.fields[name] = _field_for(name, value)

    def clean(self) -> dict[str, Any]:
        """Refuse a rejection without a reason, and an edit with sensitive content."""
        given = self.cleaned_data
        if given.get("verb") == REJECT and not given.get("reason"):
            self.add_error("reason", _("Give a reason for the rejection."))
        if given.get("verb") == EDIT:
            for name in self.edited:
                self._check(name, given.get(name))
        return given

    def _check(self, name: str, value: Any) -> None:
        if name in ("value", "label") and value in ("", [], None) and name not in self.errors:
            self.add_error(name, _("This field is required."))
        try:
            refuse_sensitive(self.row.target if name == "value" else name, value or "")
        except forms.ValidationError as refused:
            self.add_error(name, refused)

    def edits(self) -> Mapping[str, Any]:
        return {name: self.cleaned_data[name] for name in self.edited}

    def fields_to_edit(self) -> list[Any]:
        return [self[name] for name in self.edited]


class ReviewQueue:
    """The pages of the queue on the screen of candidates."""

    def __init__(self, screen: Any, request: HttpRequest) -> None:
        self.screen, self.request = screen, request

    def answer(self) -> HttpResponse:
        """Show the candidate in the address or the next one; on POST, decide the one that was sent."""
        if self.request.method == "POST":
            return self._handle_decision(self.request.POST)
        chosen = parse_uuid(self.request.GET.get("candidate", ""))
        row = waiting().filter(id=chosen).first() if chosen else None
        if chosen and row is None:
            messages.info(self.request, self._why_gone(chosen))
        return self._render_page(row or self._next_candidate(parse_uuid(self.request.GET.get("after", ""))))

    def _handle_decision(self, data: Any) -> HttpResponse:
        row_id = parse_uuid(data.get("candidate", ""))
        row = waiting().filter(id=row_id).first() if row_id else None
        if row is None:
            messages.warning(self.request, self._why_gone(row_id))
            return redirect(self._address(after=row_id))
        form = ReviewForm(row, data)
        if not form.is_valid():
            return self._render_page(row, form)
        told = self._decide(row, form)
        verb = form.cleaned_data["verb"]
        (messages.success if told is None else messages.warning)(self.request, told or _done_text(verb, row))
        return redirect(self._address(after=row.id))

    def _decide(self, row: Candidate, form: ReviewForm) -> Any:
        """Apply the decision. Return a message when somebody else was quicker, None when it is done."""
        began, by = utc_now(), actor_of(self.request)
        verb, reason = form.cleaned_data["verb"], reason_of(self.request)
        try:
            with transaction.atomic():
                if verb == REJECT:
                    done = reject(row.subject, row.id, by=by, reason=reason)
                else:
                    edits = form.edits() if verb == EDIT else None
                    done = approve(row.subject, row.id, by=by, reason=reason or SAID_SO, edits=edits)
        except AlreadyReviewed:
            return DECIDED
        except NotFound:
            return GONE
        except Conflict:
            return _("It could not be written because the memory changed at the same time. It still waits.")
        # Sent twice, the same decision is accepted; a review from before this request tells that it was the second.
        return DECIDED if done.reviewed_at is not None and done.reviewed_at < began else None

    def _why_gone(self, row_id: UUID | None) -> Any:
        was_decided = row_id and Candidate.objects.filter(id=row_id, reviewed_at__isnull=False).exists()
        return DECIDED if was_decided else GONE

    def _next_candidate(self, after: UUID | None) -> Candidate | None:
        """Return the next pending candidate, after the last one the first; None when none is pending."""
        rows = waiting()
        passed = Candidate.objects.filter(id=after).first() if after else None
        found = rows.filter(_later_than(passed)).first() if passed else None
        return found or rows.first()

    def _address(self, **query: Any) -> str:
        address = reverse("admin:profiles_candidate_review")
        given = "&".join(f"{name}={value}" for name, value in query.items() if value)
        return f"{address}?{given}" if given else address

    def _render_page(self, row: Candidate | None, form: ReviewForm | None = None) -> HttpResponse:
        return own_page(
            self.request,
            "console/review.html",
            _("Review queue"),
            opts=self.screen.opts,
            row=row,
            count=waiting()[:COUNTED_MOST].count(),
            **(self._candidate_context(row, form) if row is not None else {}),
        )

    def _candidate_context(self, row: Candidate, form: ReviewForm | None) -> dict[str, Any]:
        """Return the context of one candidate's page, and record that it was viewed."""
        self.screen._note(self.request, "viewed", row)
        listed = list(waiting().filter(Q(id=row.id) | _later_than(row))[:LISTED_MOST])
        before = waiting().filter(~Q(id=row.id) & ~_later_than(row)).order_by("-created_at", "-id").first()
        return {
            "form": form or ReviewForm(row),
            "is_editing": form is not None and form.data.get("verb") == EDIT,
            "said": evidence_in_context(row),
            "facts": facts_of(row),
            "against": [against_row(held) for held in contradicted(row.subject, row)],
            "listed": [{"row": one, "address": self._address(candidate=one.id), "says": sum_up(one)} for one in listed],
            "next": self._address(after=row.id),
            "previous": self._address(candidate=before.id) if before else "",
            "may_decide": self.screen._may(self.request, Role.SUPPORT),
        }


def evidence_in_context(row: Candidate) -> list[dict[str, Any]]:
    """Return the candidate's source message with its quote marked, and the messages around it."""
    message = messages_behind([row]).get(row.message_ref) if row.message_ref else None
    if message is None:
        return []
    quote = row.quote_start, row.quote_end
    around = Message.objects.filter(
        subject_id=row.subject_id,
        conversation_id=message.conversation_id,
        seq__gte=message.seq - BEFORE,
        seq__lte=message.seq + AFTER,
    )
    return [
        {
            "who": one.get_role_display(),
            "at": one.said_at,
            "link": link(one, f"{one.said_at:%Y-%m-%d %H:%M}"),
            "is_evidence": one.id == message.id,
            "words": mark_span(one.content or "", *quote) if one.id == message.id else one.content or "",
        }
        for one in with_words(list(around.order_by("seq")))
    ]


def facts_of(row: Candidate) -> list[tuple[Any, Any]]:
    """Return label and value (HTML) of a candidate's properties."""
    return [
        (_("Would become"), f"{row.get_kind_display()}: {row.target}" if row.target else row.get_kind_display()),
        (_("value"), value_whole(row.value if row.value is not None else _tag_of(row))),
        (_("Why it waits"), in_words(row.reason)),
        (_("confidence"), share(row.confidence)),
        (_("provenance"), row.get_provenance_display()),
    ]


def against_row(held: Any) -> dict[str, Any]:
    """Return an existing belief as it is shown beside a candidate."""
    is_tag = isinstance(held, Tag)
    says_now = ", ".join(filter(None, (held.address, held.phone, held.relation))) if is_tag else plain(held.value)
    return {
        "link": link(held, held.label if is_tag else str(held)),
        "says": word(says_now),
        "confidence": share(held.confidence),
        "provenance": held.get_provenance_display(),
        "since": held.created_at if is_tag else held.valid_at,
    }


def sum_up(row: Candidate) -> str:
    value = plain(row.value if row.value is not None else _tag_of(row))
    return ": ".join(filter(None, (row.target, value)))


def _tag_of(row: Candidate) -> dict[str, Any]:
    known = row.proposal or {}
    return {name: known[name] for name in (*CLEARABLE, "kind") if known.get(name)}


def _editable_fields(row: Candidate) -> dict[str, Any]:
    known = row.proposal or {}
    if known.get("type") == "tag":
        return {name: known.get(name) or "" for name in TAG_FIELDS}
    value = known.get("value")
    return {"value": value if isinstance(value, bool | list) else str(value or "")}


def _field_for(name: str, value: Any) -> forms.Field:
    """Return the form field of an edit. Required fields are checked in edits only."""
    labels = {"label": _("Label"), "address": _("Address"), "phone": _("Phone"), "relation": _("Relation")}
    if name in TAG_FIELDS:
        return LongText(label=labels[name], chars=TAG_FIELDS[name], rows=1, required=False)
    field = value_field(value)
    field.required = False
    return field


def _later_than(row: Candidate) -> Q:
    return Q(created_at__gt=row.created_at) | Q(created_at=row.created_at, id__gt=row.id)


def _done_text(verb: str, row: Candidate) -> Any:
    """Return the notice of a decision; a rejection links to the list where it can be undone."""
    if verb != REJECT:
        return _DONE[verb]
    told = _("Rejected: the belief was retired.") if row.reason == NO_LASTING_WORDS else _DONE[verb]
    rejected = f"{reverse('admin:profiles_candidate_changelist')}?verdict=rejected"
    return format_html('{} <a href="{}">{}</a>', told, rejected, _("Undo it in the list"))


_DONE: Mapping[str, Any] = {
    ACCEPT: gettext_lazy("Accepted and written to memory."),
    EDIT: gettext_lazy("Accepted with your changes."),
    REJECT: gettext_lazy("Rejected: nothing was written."),
}
