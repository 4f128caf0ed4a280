"""The screen of receipts: the memories in one prompt, and why."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.explanation.page import BAR_UNITS, why_of
from memory_platform.console.memories.search import NewestSearched
from memory_platform.console.memories.snapshots import conversation_shown
from memory_platform.console.receipts.playground import playground
from memory_platform.console.shared.access import mark_tenantless
from memory_platform.console.shared.base import subject_shown
from memory_platform.console.shared.codes import CodeFilter, SeenFilter, code_column, in_words
from memory_platform.console.shared.display import link_to
from memory_platform.console.shared.filters import OfConversation, OfSubject, WithMemory
from memory_platform.console.shared.pages import own_path
from snapshots.models import Receipt
from snapshots.receipts.read import LARGE
from tenants.models import PolicyVersion

CODE_FILTERS = (("intent", CodeFilter), ("degraded_reason", CodeFilter))

intent = code_column("intent", _("intent"))
phase = code_column("phase", _("phase"))
degraded = code_column("degraded_reason", _("degraded reason"))


@admin.register(Receipt)
class ReceiptScreen(NewestSearched):
    """Receipts, newest first. The page of each explains its prompt."""

    change_form_template = "console/why.html"
    list_display = ("created_at", subject_shown, conversation_shown, intent, phase, "policy_version", degraded)
    list_select_related = ("subject", "conversation")
    list_filter = (
        OfSubject,
        OfConversation,
        WithMemory,
        *CODE_FILTERS,
        ("policy_version", SeenFilter),
        ("experiment", SeenFilter),
        ("arm", SeenFilter),
        "created_at",
    )
    search_fields = ("subject__external_id", "conversation__external_id", "id")
    search_help_text = _("Subject id, conversation id or receipt id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fields = ("id",)

    class Media:
        css = {"all": ("console/why.css",)}
        js = ("console/why.js",)

    def title_of(self, obj: Receipt) -> str:
        return f"{obj.created_at:%Y-%m-%d %H:%M}"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer(*LARGE)

    def get_urls(self) -> list[URLPattern]:
        address, name = "playground/<uuid:object_id>/", "snapshots_receipt_playground"
        return [own_path(address, self.playground_view, name), *super().get_urls()]

    @mark_tenantless
    def playground_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show the playground. Runs without a tenant's scope, since it may call an embedding model."""
        return playground(request, object_id)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        context = response.context_data if isinstance(response, TemplateResponse) else None
        if context and "original" in context:
            receipt: Receipt = context["original"]
            context["title"] = _("Why this answer")
            context |= {"why": why_of(receipt), "bar_units": BAR_UNITS}
            context |= {"facts": facts_of(receipt, self._policy(request, receipt))}
            if self.has_support_permission(request):
                again = reverse("admin:snapshots_receipt_playground", args=[receipt.subject_id])
                context["again"] = f"{again}?receipt={receipt.pk}"
            context |= {"degraded_told": in_words(receipt.degraded_reason)}
        return response

    def _policy(self, request: HttpRequest, receipt: Receipt) -> str:
        """Return the policy version, linked if the reader may see policies."""
        known = receipt.policy_version.isascii() and receipt.policy_version.isdecimal()
        if known and self.has_manager_permission(request):
            # Nine digits fit the column; a product may have sent more.
            version = PolicyVersion.objects.filter(number=int(receipt.policy_version[:9])).first()
            return link_to(PolicyVersion, version.pk, receipt.policy_version) if version else receipt.policy_version
        return receipt.policy_version


def facts_of(receipt: Receipt, policy: str) -> list[tuple[Any, Any]]:
    facts = (
        (_("subject"), subject_shown(receipt)),
        (_("conversation"), conversation_shown(receipt) if receipt.conversation else ""),
        (_("intent"), in_words(receipt.intent)),
        (_("phase"), in_words(receipt.phase)),
        (_("policy version"), policy),
        (_("made by release"), receipt.made_by.get("release")),
        (_("readers"), ", ".join(filter(None, map(receipt.made_by.get, ("clauses", "relevance"))))),
        (_("experiment"), receipt.experiment),
        (_("arm"), receipt.arm),
        (_("reply reported at"), receipt.replied_at),
        (_("next turn reported at"), receipt.answered_at),
    )
    return [(label, value) for label, value in facts if value]
