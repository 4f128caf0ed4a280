"""The review queue: pending candidates one after the other, each with its evidence and with contradicting beliefs.

Accepting, rejecting and editing lead to the next candidate at once, and the last decision can be taken back. Candidates
for one place stand together. If two people decide the same one, the first wins and the second is told; likewise if it
was erased meanwhile. ``review.js`` adds keys; the page works without it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import F, Min, OuterRef, Q, QuerySet, Subquery, Window
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.memory_actions.value_fields import LongTextField, check_not_sensitive, make_value_field
from memory_platform.console.review.candidate_facts import (
    describe_effect,
    load_evidence_messages,
    render_candidate_facts,
    render_contradicted_belief,
    summarize_candidate,
)
from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.headers.memory_sentences import select_current_name
from memory_platform.console.shared.refusals import note_missing_row
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    parse_uuid,
)
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.models import Candidate
from profiles.provenance_and_verdict import Verdict
from snapshots.lifecycle.staff_actions.undo_act import UndoImpossible
from snapshots.understanding.believing.belief_reviews import NO_LASTING_WORDS
from snapshots.understanding.believing.candidate_review import (
    DECLINED,
    AlreadyReviewed,
    approve_candidate,
    list_contradicted_beliefs,
    list_waiting_candidates,
    may_be_reopened,
    reject_candidate,
    reopen_candidate,
)
from tenants.models import Role

# Of those that wait, how many stand beside the one that is decided.
MAX_LISTED = 20
MAX_COUNTED = 1_000
ACCEPT, REJECT, EDIT, UNDO = "accept", "reject", "edit", "undo"
# The reason on record if the person who accepts gives no reason.
DEFAULT_ACCEPT_REASON = "accepted in the review queue: the words say so"
# The same for a decision that is taken back.
DEFAULT_UNDO_REASON = "taken back in the review queue"
TAG_FIELD_CHARS = {"label": 200, "address": 1_000, "phone": 64, "relation": 100}
ERASED_TEXT = gettext_lazy("This one was erased in the meantime. Here is the next.")
ALREADY_DECIDED_TEXT = gettext_lazy("Somebody else has already decided this one. Here is the next.")
DECIDED_BY_YOU_TEXT = gettext_lazy("You have already decided this one yourself. Here is the next.")


class ReviewForm(forms.Form):
    """The decision about one candidate, the reason, and the edited fields."""

    candidate = forms.UUIDField(widget=forms.HiddenInput)
    # Where the group began that the candidate stands in: see ReviewQueuePage.
    since = forms.CharField(widget=forms.HiddenInput, required=False)
    verb = forms.ChoiceField(choices=[(verb, verb) for verb in (ACCEPT, REJECT, EDIT)])
    reason = ReasonField(required=False)

    def __init__(self, row: Candidate, data: Any = None, *, initial: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"candidate": row.id, **_editable_values(row), **(initial or {})})
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
    """The pages of the queue on the screen of candidates.

    Candidates for one place form a group, and groups stand in the order of their oldest members. Addresses carry when
    the group of the candidate on the page began (``since``), which a decision on its oldest member would change, and
    the last decision (``decided``), which can be taken back.
    """

    def __init__(self, screen: Any, request: HttpRequest) -> None:
        self.screen, self.request = screen, request
        given = request.POST if request.method == "POST" else request.GET
        self.since = _parse_moment(given.get("since", ""))
        self.decided = parse_uuid(request.GET.get("decided", ""))

    def respond(self) -> HttpResponse:
        """Show the candidate in the address or the next one; on POST, decide the one that was sent."""
        if self.request.method == "POST":
            return self._handle_decision(self.request.POST)
        chosen = parse_uuid(self.request.GET.get("candidate", ""))
        row = name_subjects(list_waiting_candidates()).filter(id=chosen).first() if chosen else None
        if chosen and row is None:
            messages.info(self.request, self._explain_gone_candidate(chosen))
        person = parse_uuid(self.request.GET.get("person", ""))
        of_person = list_groups().filter(subject_id=person).first() if person and row is None else None
        row = row or of_person or self._next_candidate(parse_uuid(self.request.GET.get("after", "")))
        return self._render_page(row)

    def _handle_decision(self, data: Any) -> HttpResponse:
        if data.get("verb") == UNDO:
            return self._take_back(parse_uuid(data.get("decided", "")))
        row_id = parse_uuid(data.get("candidate", ""))
        row = name_subjects(list_waiting_candidates()).filter(id=row_id).first() if row_id else None
        if row is None:
            messages.warning(self.request, self._explain_gone_candidate(row_id))
            return redirect(self._build_address(after=row_id))
        form = ReviewForm(row, data)
        if not form.is_valid():
            return self._render_page(row, form)
        told = self._decide(row, form)
        verb = form.cleaned_data["verb"]
        (messages.success if told is None else messages.warning)(self.request, told or _render_notice(verb, row))
        self.decided = row.id if told is None else None
        return redirect(self._build_address(after=row.id))

    def _take_back(self, row_id: UUID | None) -> HttpResponse:
        """Take a decision back, and show the candidate again."""
        row = Candidate.objects.select_related("subject").filter(id=row_id).first() if row_id else None
        if row is None or row.subject.erasing:
            messages.warning(self.request, self._explain_gone_candidate(row_id))
            return redirect(self._build_address())
        try:
            with transaction.atomic():
                reason = read_reason(self.request) or DEFAULT_UNDO_REASON
                reopen_candidate(row.subject, row.id, by=make_actor(self.request), reason=reason)
        except (UndoImpossible, NotFound, Conflict) as refused:
            messages.warning(self.request, _UNDO_REFUSALS.get(type(refused), _UNDO_REFUSALS[Conflict]))
            return redirect(self._build_address(after=row.id))
        messages.success(self.request, _("Undone. It waits again."))
        return redirect(self._build_address(candidate=row.id))

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
            return _("Not written, because the memory changed at the same time. The proposal is still waiting.")
        # Sent twice, the same decision is accepted; a review from before this request tells that it was the second.
        return ALREADY_DECIDED_TEXT if done.reviewed_at is not None and done.reviewed_at < began else None

    def _explain_gone_candidate(self, row_id: UUID | None) -> Any:
        """Return why a candidate does not wait, and note one that is not there: it may be another tenant's."""
        found = Candidate.objects.filter(id=row_id).first() if row_id else None
        if found is None:
            note_missing_row(self.request, row_id or "")
        if found is None or not found.reviewed_at:
            return ERASED_TEXT
        me = make_actor(self.request)
        return DECIDED_BY_YOU_TEXT if found.reviewed_by == f"{me.kind}:{me.id}" else ALREADY_DECIDED_TEXT

    def _next_candidate(self, after: UUID | None) -> Candidate | None:
        """Return the next pending candidate, the first one after the last; None if no candidate is pending."""
        rows = list_groups()
        passed = Candidate.objects.filter(id=after).first() if after else None
        if passed is None:
            return rows.first()
        beside = rows.filter(_build_group_condition(passed)).filter(_created_after(passed)).first()
        if beside is not None:
            return beside  # type: ignore[no-any-return]  # a row of the query above
        later = rows.filter(began__gt=self.since or passed.created_at).first()
        self.since = None  # the next one is in a group of its own
        return later or rows.first()

    def _build_address(self, *, keeps_group: bool = True, **query: Any) -> str:
        """Return the address of the queue at a candidate. ``keeps_group``: it is in the group of this page's, or the
        first one after it."""
        address = reverse("admin:profiles_candidate_review")
        since = self.since.isoformat() if self.since and keeps_group else ""
        given = {**query, "since": since, "decided": self.decided}
        kept = {name: value for name, value in given.items() if value}
        return f"{address}?{urlencode(kept)}" if kept else address

    def _render_page(self, row: Candidate | None, form: ReviewForm | None = None) -> HttpResponse:
        return render_console_page(
            self.request,
            "console/review/review_queue.html",
            _("Review"),
            opts=self.screen.opts,
            row=row,
            decided=self._load_last_decision(),
            count=list_waiting_candidates()[:MAX_COUNTED].count(),
            **(self._build_candidate_context(row, form) if row is not None else {}),
        )

    def _build_candidate_context(self, row: Candidate, form: ReviewForm | None) -> dict[str, Any]:
        """Return the context of one candidate's page, and record that it was viewed."""
        self.screen._record_access(self.request, "viewed", row)
        self.since = began = self.since or list_groups().filter(id=row.id).values_list("began", flat=True).first()
        group = list(list_groups().filter(_build_group_condition(row))[:MAX_LISTED])
        # A decision about the oldest of the group makes the group begin later than the addresses say.
        later = list_groups().exclude(_build_group_condition(row)).filter(began__gt=began)[: MAX_LISTED - len(group)]
        earlier = [one for one in group if (one.created_at, one.id) < (row.created_at, row.id)]
        before = earlier[-1] if earlier else list_groups().filter(began__lt=began).reverse().first()
        against = list_contradicted_beliefs(row.subject, row)
        initial = {"since": began.isoformat() if began else ""}
        return {
            "form": form or ReviewForm(row, initial=initial),
            "is_editing": form is not None and form.data.get("verb") == EDIT,
            "said": load_evidence_messages(row),
            "facts": render_candidate_facts(row),
            "against": [render_contradicted_belief(held) for held in against],
            "effect": describe_effect(row, against),
            "group_size": len(group),
            "listed": [
                {
                    "row": one,
                    "address": self._build_address(candidate=one.id, keeps_group=one in group),
                    "says": summarize_candidate(one),
                    "is_beside": one in group and len(group) > 1,
                    "is_newest": one.id == group[-1].id,
                }
                for one in (*group, *later)
            ],
            "next": self._build_address(after=row.id),
            "previous": self._build_address(candidate=before.id, keeps_group=before in group) if before else "",
            "may_decide": self.screen._has_role(self.request, Role.SUPPORT),
        }

    def _load_last_decision(self) -> dict[str, Any] | None:
        """Return the decision that this page can take back: its subject matter, and whether it was an acceptance."""
        row = Candidate.objects.filter(id=self.decided, subject__erasing=False).first() if self.decided else None
        if row is None or not may_be_reopened(row) or not self.screen._has_role(self.request, Role.SUPPORT):
            return None
        was_rejected = row.verdict == Verdict.REJECTED and row.reason == DECLINED
        return {"row": row, "says": summarize_candidate(row), "was_rejected": was_rejected}


def list_groups() -> QuerySet[Any]:
    """Return the candidates that wait, those for one place together, groups by their oldest member (``began``)."""
    began = Window(Min("created_at"), partition_by=[F("subject_id"), F("kind"), F("target")])
    rows: QuerySet[Any] = name_subjects(list_waiting_candidates()).annotate(began=began)
    return rows.order_by("began", "subject_id", "kind", "target", "created_at", "id")


def name_subjects(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return candidates with the known names of their people (``subject_name``; None for an unknown one)."""
    return rows.annotate(subject_name=Subquery(select_current_name(OuterRef("subject_id"))))  # type: ignore[no-any-return]  # annotated


def _build_group_condition(row: Candidate) -> Q:
    return Q(subject_id=row.subject_id, kind=row.kind, target=row.target)


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


def _parse_moment(text: str) -> datetime | None:
    """Return a time from an address; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _created_after(row: Candidate) -> Q:
    return Q(created_at__gt=row.created_at) | Q(created_at=row.created_at, id__gt=row.id)


def _render_notice(verb: str, row: Candidate) -> Any:
    if verb == REJECT and row.reason == NO_LASTING_WORDS:
        return _("Rejected: the memory was retired.")
    return _NOTICES[verb]


_NOTICES: Mapping[str, Any] = {
    ACCEPT: gettext_lazy("Accepted and written to memory."),
    EDIT: gettext_lazy("Accepted with your changes."),
    REJECT: gettext_lazy("Rejected: nothing was written."),
}
_UNDO_REFUSALS: Mapping[type[Exception], Any] = {
    UndoImpossible: gettext_lazy("Nothing was undone: the memory has changed since."),
    AlreadyReviewed: gettext_lazy("Nothing was undone: the proposal is already waiting for review."),
    NotFound: gettext_lazy("Nothing was undone: the words of the proposal were erased or are no longer stored."),
    Conflict: gettext_lazy("Nothing was undone: somebody else is changing it. Please try again."),
}
