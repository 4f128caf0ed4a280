"""The screen of candidates: each proposal and its reason. Those that wait for a person come first."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import SEARCH_VAR
from django.core.exceptions import PermissionDenied
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.profile_screens import confidence_column, full_value_column
from memory_platform.console.memory_actions.bulk_actions import (
    load_chosen_rows,
    run_on_each,
    show_bulk_result,
    wrap_in_savepoint,
)
from memory_platform.console.review.candidate_facts import describe_candidate, get_proposed_tag, summarize_candidate
from memory_platform.console.review.review_queue import ReviewQueuePage
from memory_platform.console.shared.action_reasons import ReasonedActionForm, read_reason, require_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.code_labels import OccurringCodesFilter, OccurringValuesFilter, make_code_column
from memory_platform.console.shared.custom_pages import make_console_path
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.list_filters import ALL_STATES, ConditionFilter, SubjectFilter
from memory_platform.console.shared.status_badges import BAD, GOOD, WARNING, StatusBadge
from memory_platform.console.shared.tenant_access import find_actor_name, make_actor
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    make_column,
    make_fieldset,
    make_folded_fieldset,
    mark_span,
    render_line,
    render_link,
    render_text,
    render_value_line,
    render_word,
)
from profiles.models import Candidate
from profiles.provenance_and_verdict import Verdict
from snapshots.models import Message
from snapshots.understanding.believing.candidate_review import (
    AlreadyReviewed,
    approve_candidate,
    load_source_messages,
    reject_candidate,
    reopen_candidate,
)
from tenants.models import Role

target_column = make_column(
    "target", lambda target: render_line(target.replace("/", " › ").replace("_", " ")), _("target"), order="target"
)
# The tone of each verdict in the badge of a proposal's page.
TONES = {Verdict.PENDING.value: WARNING, Verdict.REJECTED.value: BAD}
verdict_reason_column = make_code_column("reason", _("reason"))
sort_column = make_code_column("sort", _("type of statement"))
WAITING_FIRST = Case(When(verdict=Verdict.PENDING, then=Value(0)), default=Value(1), output_field=IntegerField())


@admin.display(description=_("evidence"))
def render_evidence(candidate: Candidate) -> str:
    """Return the source message as HTML, with the quote marked that supports the candidate."""
    message = load_source_messages([candidate]).get(candidate.message_ref) if candidate.message_ref else None
    if message is None or candidate.quote_start is None or candidate.quote_end is None:
        return EMPTY_VALUE
    return render_text(mark_span(message.content or "", candidate.quote_start, candidate.quote_end))


@admin.display(description=_("value"))
def render_proposed_value(candidate: Candidate) -> str:
    """Return the value in a line; of a place or contact its details."""
    if candidate.value is not None and not isinstance(candidate.value, dict):
        return render_value_line(candidate.value)
    details = get_proposed_tag(candidate)
    told = [str(details[name]) for name in ("relation", "address", "phone") if details.get(name)]
    return render_line(", ".join(told)) if told else render_value_line(candidate.value)


class VerdictFilter(ConditionFilter):
    """Filters by the verdict. Candidates that wait for a decision are the default; a search finds everything."""

    title = _("verdict")
    parameter_name = "verdict__exact"
    has_default = True

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        verdicts = {value: (label, Q(verdict=value)) for value, label in Verdict.choices}
        waiting = {Verdict.PENDING.value: verdicts.pop(Verdict.PENDING.value)}
        return {**waiting, **verdicts, ALL_STATES: (_("All"), Q())}

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        self.default = ALL_STATES if request.GET.get(SEARCH_VAR) else Verdict.PENDING.value
        super().__init__(request, *args)

    def value(self) -> str:
        chosen = super().value() or self.default
        return chosen if chosen in self.build_choice_conditions() else self.default

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        # An action finds every row that was ticked, also one that somebody else has decided since.
        if request.method == "POST" and request.POST.get("select_across", "0") == "0":
            return queryset
        return super().queryset(request, queryset)

    def choices(self, changelist: Any) -> Any:
        """Yield the choices without Django's own “All”, which would be the default."""
        yield from list(super().choices(changelist))[1:]


@admin.register(Candidate)
class CandidateScreen(SubjectOwnedAdmin):
    """Proposals of extraction with verdict and reason. Pending ones are approved or rejected here."""

    list_display = (
        target_column,
        render_proposed_value,
        subject_column,
        "kind",
        "verdict",
        verdict_reason_column,
        confidence_column,
        "created_at",
    )
    count_text = ngettext_lazy("%(count)d proposal", "%(count)d proposals", "count")
    empty_text = _("Nothing waits for a decision. Choose another verdict to see what was decided.")
    folds_filters = True
    list_filter = (
        SubjectFilter,
        VerdictFilter,
        ("reason", OccurringCodesFilter),
        "kind",
        ("sort", OccurringCodesFilter),
        ("origin", OccurringValuesFilter),
        "provenance",
    )
    search_fields = ("subject__external_id", "target", "value")
    search_help_text = _("Id of a person, target or value")
    date_hierarchy = "created_at"
    ordering = (WAITING_FIRST, "-created_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            subject_column,
            "kind",
            target_column,
            full_value_column,
            verdict_reason_column,
            confidence_column,
            "provenance",
        ),
        make_fieldset(
            _("Origin"),
            render_evidence,
            make_column(
                "message_ref", lambda row_id: render_link(Message, row_id, gettext("Show the message")), _("message")
            ),
            "created_at",
        ),
        make_fieldset(
            _("Review"),
            "reviewed_at",
            make_column("reviewed_by", lambda by: render_word(find_actor_name(by)), _("reviewed by")),
            make_column("review_reason", render_text, _("reason of the review")),
        ),
        make_folded_fieldset(
            _("Technical details"), sort_column, make_column("origin", render_word, _("read by")), "id"
        ),
    )
    action_form = ReasonedActionForm
    actions = ("approve", "reject", "reopen")

    def title_of(self, obj: Candidate) -> str:
        return summarize_candidate(obj) or str(obj.get_kind_display())

    def describe_row(self, obj: Candidate) -> str:
        return describe_candidate(obj) or self.title_of(obj)

    def get_badge(self, obj: Candidate) -> StatusBadge:
        return StatusBadge(obj.get_verdict_display(), TONES.get(obj.verdict, GOOD))

    def list_acts(self, request: HttpRequest, obj: Candidate) -> Sequence[HeaderAct]:
        acts = super().list_acts(request, obj)
        if obj.verdict != Verdict.PENDING or not self.has_support_permission(request):
            return acts
        address = f"{reverse('admin:profiles_candidate_review')}?candidate={obj.pk}"
        return [HeaderAct(gettext("Accept or reject"), address, is_main=True), *acts]

    def get_urls(self) -> list[URLPattern]:
        return [make_console_path("review/", self.review_view, "profiles_candidate_review"), *super().get_urls()]

    def review_view(self, request: HttpRequest) -> HttpResponse:
        if not self._has_role(request, Role.SUPPORT if request.method == "POST" else Role.VIEWER):
            raise PermissionDenied
        return ReviewQueuePage(self, request).respond()

    @admin.action(description=_("Accept: write the proposal to memory"), permissions=["support"])
    @require_reason
    def approve(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        self._decide_rows(request, queryset, approve_candidate)

    @admin.action(description=_("Reject: do not write the proposal to memory"), permissions=["support"])
    @require_reason
    def reject(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        self._decide_rows(request, queryset, reject_candidate)

    @admin.action(description=_("Undo: the proposal waits for review again"), permissions=["support"])
    @require_reason
    def reopen(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        by, reason = make_actor(request), read_reason(request)
        rows = load_chosen_rows(self, request, queryset)
        if rows is not None:
            back = wrap_in_savepoint(lambda row: reopen_candidate(row.subject, row.id, by=by, reason=reason))
            show_bulk_result(self, request, run_on_each(rows, back))

    def _decide_rows(
        self, request: HttpRequest, queryset: QuerySet[Candidate], decide: Callable[..., Candidate]
    ) -> None:
        """Decide each pending candidate, and report the result row by row."""
        by, reason = make_actor(request), read_reason(request)

        def do(row: Candidate) -> None:
            if row.verdict != Verdict.PENDING:
                raise AlreadyReviewed("it waits no longer")
            decide(row.subject, row.id, by=by, reason=reason)

        rows = load_chosen_rows(self, request, queryset)
        if rows is not None:
            show_bulk_result(self, request, run_on_each(rows, wrap_in_savepoint(do)))
