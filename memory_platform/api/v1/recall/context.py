"""``POST subjects/{subject_id}/context``: messages for the model within a token budget."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.v1.recall.context_serializers import (
    ContextInput,
    ContextOutput,
    PromptOutput,
    read_vendor_request,
)
from memory_platform.api.v1.recall.document_scope import make_document_scope
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_prepared
from memory_platform.api.views.operation_description import operation
from snapshots.context.pipeline import (
    ContextAnswer,
    ContextCall,
    ContextDraft,
    build_context,
    draft_context,
    record_receipt_or_retry,
)
from snapshots.context.token_budget import BudgetTooSmall
from snapshots.context.values import AssembledContext, BudgetRequest, ContextRequest
from snapshots.context.writing.vendor_prompts import (
    VendorPrompt,
    VendorRequest,
    make_vendor_prompt,
    remake_vendor_prompt,
)
from snapshots.policies.effective_policies import Policies
from snapshots.recall.filtering.filter_matching import FilterTooCostly
from snapshots.recall.loading.past_index_limits import MemoryTooLarge
from tenants.services.keys import Caller


class ContextView(SubjectView):
    noun = "context"
    required_scope = MEMORY_READ

    @operation(
        "get_context",
        request=ContextInput,
        answer=ContextOutput,
        errors=[BudgetTooSmall, MemoryTooLarge, FilterTooCostly],
    )
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Make a context for the user's message and store its receipt.

        An unknown subject gets a context without memories; no receipt is stored and no subject is created.
        """
        given, policies = ContextInput.parse(request), self.policies_for(subject_id)
        query, vendor = query_of(given, policies, self.caller), read_vendor_request(given)

        def at_once() -> Reply:
            made = build_context(self.tenant_id, subject_id, query, policies.context)
            return reply_of(made, make_prompt_for_vendor(self.tenant_id, made.subject_id, made.context, vendor))

        def prepare() -> Callable[[], Reply]:
            draft = draft_context(self.tenant_id, subject_id, query, policies.context)
            return partial(
                reply_to_draft, draft, make_prompt_for_vendor(self.tenant_id, draft.subject_id, draft.context, vendor)
            )

        return write_prepared(request, at_once, prepare)


def query_of(body: dict[str, Any], policies: Policies, caller: Caller) -> ContextCall:
    request = ContextRequest(
        query=body["query"],
        system_prompt=body.get("system_prompt", ""),
        budget=BudgetRequest(**body.get("budget", {})),
        intent=body.get("intent"),
        phase=body.get("phase"),
        order=body.get("order"),
        format=body["format"],
        style=body.get("style"),
        guide=body["guide"],
        at=body.get("at"),
        tenant_locale=policies.tenant_locale,
        min_relevance=body.get("min_relevance"),
        strict=body["strict"],
        citations=body["citations"],
    )
    included = body.get("include", ())
    return ContextCall(
        request,
        policies.version,
        body.get("conversation_id"),
        tasks="tasks" in included,
        knowledge=make_document_scope(body, caller) if "knowledge" in included else None,
        replies="replies" in included,
        filter=body.get("filter"),
        recall=policies.recall,
        experiment=policies.experiment,
        arm=policies.arm,
        by_model=body["understand"] == "model",
    )


def make_prompt_for_vendor(
    tenant_id: UUID, subject_id: UUID | None, context: AssembledContext, vendor: VendorRequest | None
) -> VendorPrompt | None:
    """Return a context in the form of a vendor, None without one. No transaction may be open."""
    return make_vendor_prompt(tenant_id, subject_id, context, vendor) if vendor else None


def reply_to_draft(draft: ContextDraft, prompt: VendorPrompt | None) -> Reply:
    """Store the receipt in the open transaction. The context is made again if the memory has changed meanwhile."""
    made = record_receipt_or_retry(draft)
    if prompt is not None and made.context is not draft.context:
        prompt = remake_vendor_prompt(prompt, draft.context, made.context)
    return reply_of(made, prompt)


def reply_of(answer: ContextAnswer, prompt: VendorPrompt | None) -> Reply:
    rendered = ContextOutput.render(answer, prompt=PromptOutput.render(prompt) if prompt else None)
    return Reply(rendered, subject_id=answer.subject_id)


urlpatterns = [path("subjects/<product_id:subject_id>/context", ContextView.as_view(), name="context")]
