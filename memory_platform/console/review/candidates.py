"""The screen of candidates: what extraction proposed, and why. Candidates that wait for a person come first."""

from collections.abc import Callable

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.profiles import confidence, value_full, value_short
from memory_platform.console.memory_actions.bulk import in_savepoint, load_chosen_rows, tell, try_each
from memory_platform.console.review.queue import ReviewQueue
from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.codes import CodeFilter, SeenFilter, code_column
from memory_platform.console.shared.display import EMPTY, column, line, link_to, mark_span, part, whole, word
from memory_platform.console.shared.filters import OfSubject
from memory_platform.console.shared.pages import own_path
from memory_platform.console.shared.reasons import ReasonedActions, needs_reason, reason_of
from profiles.models import Candidate
from profiles.values import Verdict
from snapshots.models import Message
from snapshots.understanding.believing.review import AlreadyReviewed, approve, messages_behind, reject, reopen
from tenants.models import Role

verdict_reason = code_column("reason", _("reason"))
sort = code_column("sort", _("class"))
WAITING_FIRST = Case(When(verdict=Verdict.PENDING, then=Value(0)), default=Value(1), output_field=IntegerField())


@admin.display(description=_("evidence"))
def evidence(candidate: Candidate) -> str:
    """Return the source message as HTML, with the quote marked that supports the candidate."""
    message = messages_behind([candidate]).get(candidate.message_ref) if candidate.message_ref else None
    if message is None or candidate.quote_start is None or candidate.quote_end is None:
        return EMPTY
    return whole(mark_span(message.content or "", candidate.quote_start, candidate.quote_end))


@admin.register(Candidate)
class CandidateScreen(SubjectOwnedAdmin):
    """Proposals of extraction with verdict and reason. Pending ones are approved or rejected here."""

    list_display = (
        "created_at",
        subject_shown,
        "kind",
        column("target", line, _("target")),
        value_short,
        "verdict",
        verdict_reason,
        confidence,
    )
    list_filter = (
        OfSubject,
        "verdict",
        ("reason", CodeFilter),
        "kind",
        ("sort", CodeFilter),
        ("origin", SeenFilter),
        "provenance",
    )
    search_fields = ("subject__external_id", "target", "value")
    search_help_text = _("Subject id, target or value")
    date_hierarchy = "created_at"
    ordering = (WAITING_FIRST, "-created_at", "-id")
    fieldsets = (
        part(None, subject_shown, "kind", "target", value_full, "verdict", verdict_reason, confidence, "provenance"),
        part(
            _("Origin"),
            evidence,
            column("message_ref", lambda row_id: link_to(Message, row_id), _("message")),
            sort,
            column("origin", word, _("read by")),
            "id",
            "created_at",
        ),
        part(
            _("Review"),
            "reviewed_at",
            column("reviewed_by", word, _("reviewed by")),
            column("review_reason", whole, _("reason of the review")),
        ),
    )
    action_form = ReasonedActions
    change_list_template = "console/candidate_list.html"
    actions = ("approve", "reject", "reopen")

    def title_of(self, obj: Candidate) -> str:
        return f"{obj.get_kind_display()} ({obj.get_verdict_display()})"

    def get_urls(self) -> list[URLPattern]:
        return [own_path("review/", self.review_view, "profiles_candidate_review"), *super().get_urls()]

    def review_view(self, request: HttpRequest) -> HttpResponse:
        if not self._may(request, Role.SUPPORT if request.method == "POST" else Role.VIEWER):
            raise PermissionDenied
        return ReviewQueue(self, request).answer()

    @admin.action(description=_("Approve: write the candidate into memory"), permissions=["support"])
    @needs_reason
    def approve(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        self._decide_rows(request, queryset, approve)

    @admin.action(description=_("Reject: do not write the candidate"), permissions=["support"])
    @needs_reason
    def reject(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        self._decide_rows(request, queryset, reject)

    @admin.action(description=_("Undo a rejection: the candidate waits again"), permissions=["support"])
    @needs_reason
    def reopen(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        by, reason = actor_of(request), reason_of(request)
        rows = load_chosen_rows(self, request, queryset)
        if rows is not None:
            back = in_savepoint(lambda row: reopen(row.subject, row.id, by=by, reason=reason))
            tell(self, request, try_each(rows, back))

    def _decide_rows(
        self, request: HttpRequest, queryset: QuerySet[Candidate], decide: Callable[..., Candidate]
    ) -> None:
        """Decide each pending candidate, and report the result row by row."""
        by, reason = actor_of(request), reason_of(request)

        def do(row: Candidate) -> None:
            if row.verdict != Verdict.PENDING:
                raise AlreadyReviewed("it waits no longer")
            decide(row.subject, row.id, by=by, reason=reason)

        rows = load_chosen_rows(self, request, queryset)
        if rows is not None:
            tell(self, request, try_each(rows, in_savepoint(do)))
