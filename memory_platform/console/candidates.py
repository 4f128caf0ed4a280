"""The screen of candidates: what extraction proposed and why; what waits for a person comes first."""

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.access import actor_of
from memory_platform.console.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.codes import CodeFilter, coded
from memory_platform.console.display import EMPTY, column, line, link_to, part, whole, word
from memory_platform.console.filters import OfSubject
from memory_platform.console.profiles import confidence, value_full, value_short
from memory_platform.console.reasons import ReasonedActions, needs_reason, reason_of
from profiles.models import Candidate
from profiles.values import Verdict
from snapshots.extraction.review import AlreadyReviewed, approve, messages_behind, reject
from snapshots.models import Message

verdict_reason = coded("reason", _("reason"))
sort = coded("sort", _("class"))
WAITING_FIRST = Case(When(verdict=Verdict.PENDING, then=Value(0)), default=Value(1), output_field=IntegerField())


@admin.display(description=_("evidence"))
def evidence(candidate: Candidate) -> str:
    """Show the message with the words marked that prove the candidate."""
    message = messages_behind([candidate]).get(candidate.message_ref) if candidate.message_ref else None
    start, end = candidate.quote_start, candidate.quote_end
    if message is None or start is None or end is None:
        return EMPTY
    said = message.content or ""
    return format_html(
        '<div class="stored" dir="auto">{}<mark>{}</mark>{}</div>', said[:start], said[start:end], said[end:]
    )


@admin.register(Candidate)
class CandidateScreen(SubjectOwnedAdmin):
    """What extraction proposed, its verdict and the reason; what waits is approved or rejected here."""

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
    list_filter = (OfSubject, "verdict", ("reason", CodeFilter), "kind", "sort", "origin", "provenance")
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
    actions = ("approve", "reject")

    @admin.action(description=_("Approve: write what waits into memory"), permissions=["support"])
    @needs_reason
    def approve(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        """Approve the chosen candidates that wait."""
        done = self._decided(request, queryset, approve)
        text = ngettext("%(count)d candidate was approved.", "%(count)d candidates were approved.", done)
        self.message_user(request, text % {"count": done}, messages.SUCCESS if done else messages.WARNING)

    @admin.action(description=_("Reject: what waits is not written"), permissions=["support"])
    @needs_reason
    def reject(self, request: HttpRequest, queryset: QuerySet[Candidate]) -> None:
        """Reject the chosen candidates that wait."""
        done = self._decided(request, queryset, reject)
        text = ngettext("%(count)d candidate was rejected.", "%(count)d candidates were rejected.", done)
        self.message_user(request, text % {"count": done}, messages.SUCCESS if done else messages.WARNING)

    def _decided(self, request: HttpRequest, queryset: QuerySet[Candidate], decide: Callable[..., Candidate]) -> int:
        """Decide each candidate that still waits; return how many that were."""
        by, reason = actor_of(request), reason_of(request)
        done = 0
        # By subject, and by id within: two who decide the same rows take the locks in one order.
        for row in queryset.filter(verdict=Verdict.PENDING).order_by("subject_id", "id"):
            try:
                decide(row.subject, row.id, by=by, reason=reason)
            except AlreadyReviewed:
                continue
            done += 1
        return done
