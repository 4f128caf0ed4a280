"""The screen of receipts: the memories in one prompt, and why."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from memory_platform.console.explanation.receipt_explanation import BAR_UNITS, explain_receipt
from memory_platform.console.explanation.section_limits import find_policy_version
from memory_platform.console.figures.daily_indicators import SHARE_TITLES
from memory_platform.console.figures.outcome_filter import OUTCOMES_BY_FIGURE, OutcomeFilter
from memory_platform.console.memories.conversations_and_snapshots import conversation_column
from memory_platform.console.memories.newest_rows_search import NewestRowsSearchAdmin
from memory_platform.console.receipts.answer_search import find_answers_by_words
from memory_platform.console.receipts.ask_again_page import show_asked_again
from memory_platform.console.receipts.recall_playground import show_playground
from memory_platform.console.shared.base_screens import subject_column
from memory_platform.console.shared.code_labels import (
    OccurringCodesFilter,
    OccurringValuesFilter,
    make_code_column,
    render_code,
)
from memory_platform.console.shared.custom_pages import is_manager, make_console_path
from memory_platform.console.shared.headers.memory_sentences import load_subject_name
from memory_platform.console.shared.headers.object_header import (
    MAX_TITLE_CHARS,
    HeaderAct,
    ObjectHeader,
    make_time_fact,
)
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.list_filters import (
    DAY_CHARS,
    ConversationFilter,
    MemoryFilter,
    PeriodFilter,
    SubjectFilter,
)
from memory_platform.console.shared.lists.change_lists import SubjectRowsChangeList
from memory_platform.console.shared.status_badges import WARNING, StatusBadge
from memory_platform.console.shared.tenant_access import mark_scopeless
from memory_platform.console.shared.value_rendering import EMPTY_VALUE, make_computed_column, render_link
from memory_platform.console.transcript.answer_results import (
    SIGNAL_TONES,
    choose_badge,
    load_answer_results,
    render_reply,
)
from memory_platform.console.transcript.answers import LARGE_BESIDE_QUESTION, read_question, render_question
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.read import unpack_rendered_prompt
from snapshots.scheduled_job_registry import load_purge_policy
from tenants.models import PolicyVersion

CODE_FILTER_FIELDS = (("intent", OccurringCodesFilter), ("degraded_reason", OccurringCodesFilter))

intent_column = make_code_column("intent", _("intent"))
degraded_column = make_code_column("degraded_reason", _("degraded reason"))


question_column = make_computed_column("question", render_question, _("question"))
asked_column = make_computed_column(
    "asked", lambda receipt: render_time_ago(receipt.created_at), _("asked at"), order="created_at"
)
reply_column = make_computed_column("reply", lambda receipt: render_reply(receipt.result) or EMPTY_VALUE, _("reply"))
outcome_column = make_computed_column("outcome", lambda receipt: receipt.result.badge_html or EMPTY_VALUE, _("outcome"))


class AskedFilter(PeriodFilter):
    """Filters answers by when the question was asked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = _("asked at")


class AnswerChangeList(SubjectRowsChangeList):
    """A list of answers with the outcome of each, and with the figure that they explain."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        results = load_answer_results(self.result_list)
        for row in self.result_list:
            row.result = results[row.pk]
        self.intro = tell_figure(request)


def tell_figure(request: HttpRequest) -> str:
    """Return which figure of the dashboard the listed answers explain, as HTML; "" if no link of it led here."""
    outcome, begin = request.GET.get(OutcomeFilter.parameter_name, ""), request.GET.get("created_at__gte", "")
    key = next((key for key, one in OUTCOMES_BY_FIGURE.items() if one == outcome), "")
    if not (key and begin and is_manager(request)):
        return ""
    told = gettext("Answers behind “%(figure)s” since %(day)s.") % {
        "figure": SHARE_TITLES[key][0] if key in SHARE_TITLES else gettext("Tokens saved"),
        "day": begin[:DAY_CHARS],
    }
    return format_html('{} <a href="{}">{}</a>', told, reverse("admin:dashboard"), gettext("Back to Quality"))


@admin.register(Receipt)
class ReceiptScreen(NewestRowsSearchAdmin):
    """Answers by their question, newest first. The page of each explains its prompt."""

    change_form_template = "console/receipts/explanation.html"
    list_display = (
        question_column,
        reply_column,
        outcome_column,
        asked_column,
        subject_column,
        conversation_column,
        intent_column,
        "policy_version",
        degraded_column,
    )
    list_select_related = ("subject", "conversation")
    list_filter = (
        SubjectFilter,
        ConversationFilter,
        MemoryFilter,
        OutcomeFilter,
        *CODE_FILTER_FIELDS,
        ("policy_version", OccurringValuesFilter),
        ("experiment", OccurringValuesFilter),
        ("arm", OccurringValuesFilter),
        ("created_at", AskedFilter),
    )
    count_text = ngettext_lazy("%(count)d answer", "%(count)d answers", "count")
    search_fields = ("subject__external_id", "conversation__external_id", "id")
    search_help_text = _("Words of the question or the reply, person, conversation or id of the answer")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fields = ("id",)

    class Media:
        js = ("console/why.js",)

    def title_of(self, obj: Receipt) -> str:
        """Return the question, or the time once its text was deleted."""
        return read_question(obj) or f"{obj.created_at:%Y-%m-%d %H:%M:%S}"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer(*LARGE_BESIDE_QUESTION)

    def search_words(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        """Return the answers whose question or reply has the words, or whose person or conversation has them in the
        id."""
        named, repeats = super().search_words(request, queryset, search_term)
        told = find_answers_by_words(queryset, search_term)
        return queryset.filter(Q(pk__in=named.order_by().values("pk")) | Q(pk__in=told)), repeats

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return AnswerChangeList

    def get_urls(self) -> list[URLPattern]:
        address, name = "playground/<path:object_id>/", "snapshots_receipt_playground"
        again = make_console_path("<path:object_id>/again/", self.ask_again_view, "snapshots_receipt_again")
        return [make_console_path(address, self.playground_view, name), again, *super().get_urls()]

    @mark_scopeless
    def playground_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the playground. Runs without a tenant's scope, since it may call an embedding model."""
        return show_playground(request, object_id)

    @mark_scopeless
    def ask_again_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask the question of an answer again. Runs without a tenant's scope, since it may call an embedding model."""
        return show_asked_again(request, object_id)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        context = response.context_data if isinstance(response, TemplateResponse) else None
        if context and "original" in context:
            receipt: Receipt = context["original"]
            context["title"] = _("Why this answer")
            may_act = self.has_support_permission(request)
            context |= {"why": explain_receipt(receipt, may_act=may_act), "bar_units": BAR_UNITS}
            context |= {"title_chars": MAX_TITLE_CHARS}
            context |= {"facts": render_receipt_facts(receipt, self._render_policy_version(request, receipt))}
            context |= {"kept_days": load_purge_policy().receipt_texts // timedelta(days=1)}
            context |= {"degraded_told": render_code(receipt.degraded_reason)}
        return response

    def build_header(self, request: HttpRequest, obj: Receipt) -> ObjectHeader:
        return replace(super().build_header(request, obj), kind=_("Why this answer"))

    def describe_row(self, obj: Receipt) -> str:
        """Return the question of the answer; once its text was deleted, whose answer it is."""
        rendered = unpack_rendered_prompt(obj)
        if rendered is not None:
            return rendered.query
        return gettext("Answer to %(who)s, %(at)s") % {
            "who": load_subject_name(obj.subject),
            "at": f"{obj.created_at:%Y-%m-%d %H:%M}",
        }

    def get_badge(self, obj: Receipt) -> StatusBadge | None:
        """Return how the answer was received; else whether a part of the platform was unavailable."""
        signals = ReceiptMemory.objects.filter(receipt=obj, subject=obj.subject_id).exclude(signal="")
        heard = set(signals.order_by().values_list("signal", flat=True).distinct()) & SIGNAL_TONES.keys()
        if heard:
            return choose_badge(heard)
        return StatusBadge(_("degraded"), WARNING) if obj.degraded_reason else None

    def list_facts(self, obj: Receipt) -> Sequence[Any]:
        return (
            subject_column(obj),
            conversation_column(obj) if obj.conversation_id else "",
            make_time_fact(_("asked %s"), obj.created_at),
        )

    def list_acts(self, request: HttpRequest, obj: Receipt) -> Sequence[HeaderAct]:
        acts = super().list_acts(request, obj)
        if not self.has_support_permission(request):
            return acts
        again = reverse("admin:snapshots_receipt_again", args=[obj.pk])
        playground = f"{reverse('admin:snapshots_receipt_playground', args=[obj.subject_id])}?receipt={obj.pk}"
        return [
            HeaderAct(_("Ask the same question again"), again, is_main=True),
            HeaderAct(_("Ask again in the playground"), playground),
            *acts,
        ]

    def list_ids(self, obj: Receipt) -> Sequence[tuple[Any, str]]:
        return [(_("Copy receipt id"), str(obj.pk))]

    def _render_policy_version(self, request: HttpRequest, receipt: Receipt) -> str:
        """Return the policy version, linked if the reader may see policies."""
        version = find_policy_version(receipt) if self.has_manager_permission(request) else None
        return render_link(PolicyVersion, version.pk, receipt.policy_version) if version else receipt.policy_version


def render_receipt_facts(receipt: Receipt, policy: str) -> list[tuple[Any, Any]]:
    facts = (
        (_("intent"), render_code(receipt.intent)),
        (_("phase"), render_code(receipt.phase)),
        (_("policy version"), policy),
        (_("made by release"), receipt.made_by.get("release")),
        (_("readers"), ", ".join(filter(None, map(receipt.made_by.get, ("clauses", "relevance"))))),
        (_("experiment"), receipt.experiment),
        (_("arm"), receipt.arm),
        (_("prefix hash"), receipt.prefix_hash),
        (_("asked at"), render_time_ago(receipt.created_at)),
        (_("reply reported"), render_time_ago(receipt.replied_at)),
        (_("next message reported"), render_time_ago(receipt.answered_at)),
    )
    return [(label, value) for label, value in facts if value]
