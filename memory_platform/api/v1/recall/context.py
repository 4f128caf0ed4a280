"""``POST subjects/{subject_id}/context``: ready-to-send messages within a token budget."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
    names,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.policies.policy_serializers import ExperimentOutput, serialize_experiment_arm
from memory_platform.api.v1.recall.abstained import AbstainedOutput
from memory_platform.api.v1.recall.context_prompt import PromptFields, PromptOutput, shown_prompt, vendor_request_of
from memory_platform.api.v1.recall.recall import STRICT_HELP, FilterField
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_prepared
from snapshots.context.errors import BudgetTooSmall
from snapshots.context.record import shown_sections, shown_tokens
from snapshots.context.service import build_context, draft_context, leave_receipt_or_anew
from snapshots.context.stages import ContextAnswer, ContextQuery, Draft
from snapshots.context.turn.phase_reader import PHASES
from snapshots.context.turn.route import Cause, ModelRoute, Tier
from snapshots.context.values import AssembledContext, BudgetRequest, ContextRequest, SectionName
from snapshots.context.writing.vendors import VendorPrompt, VendorRequest, prompt_made_anew, vendor_prompt
from snapshots.models import Receipt
from snapshots.policies.effective import Policies
from snapshots.recall.filtering.matching import FilterTooCostly
from snapshots.recall.loading.earlier import MemoryTooLarge

TOKENS_MOST = 1_000_000
INTENT_CHARS = 40
ORDERS = ("u_shape", "relevance_first")
FORMATS = ("messages", "text", "plain")
STYLES = ("grouped", "compact", "full")
READERS = ("rules", "model")
"""Who tells intent and phase where the caller does not: rules, or the chat model of the purpose ``rewrite``."""


class BudgetInput(StrictSerializer):
    """Tokens: ``total`` bounds the whole context, the others one section each."""

    total = WholeField(least=1, most=TOKENS_MOST, required=False)
    system = WholeField(least=0, most=TOKENS_MOST, required=False)
    profile = WholeField(least=0, most=TOKENS_MOST, required=False)
    memory = WholeField(
        least=0,
        most=TOKENS_MOST,
        required=False,
        help_text="So much of the best is brought whatever is asked, also where nothing helps. A question that needs "
        "nothing brings nothing where `min_relevance` is named beside it.",
    )
    window = WholeField(least=0, most=TOKENS_MOST, required=False)
    knowledge = WholeField(least=0, most=TOKENS_MOST, required=False)


class ContextInput(PromptFields, Input):
    """What the user says now, and how the context shall be made."""

    query = TextField(allow_empty=True)
    conversation_id = ProductIdField(required=False)
    system_prompt = TextField(allow_empty=True, required=False)
    budget = BudgetInput(required=False)
    intent = TextField(max_bytes=4 * INTENT_CHARS, max_length=INTENT_CHARS, required=False)
    phase = OneOfField(choices=names(PHASES), required=False)
    understand = OneOfField(choices=names(READERS), default="rules")
    order = OneOfField(
        choices=names(ORDERS),
        required=False,
        help_text="How memories stand: `relevance_first` the best first, `u_shape` the best first, the second best "
        "last. Lines share elements and dates: elements stand so by their best line, in an element its "
        "dates, under a date its lines. With `style: full` or `format: plain` each memory has its own place. Unless "
        "named `u_shape`, but oldest first where all notes fit.",
    )
    format = OneOfField(choices=names(FORMATS), default="messages")
    style = OneOfField(  # type: ignore[assignment]  # DRF takes fields off the class, which has a style of its own
        choices=names(STYLES),
        required=False,
        help_text="`full`: an element for each memory; `grouped`: one for those of a source and confidence; `compact`: "
        "one for all, without attributes. `compact` up to a total of 1,000, else `grouped`, unless named.",
    )
    guide = FlagField(default=True, help_text="Whether the model is told how to read memories.")
    at = InstantField(
        required=False,
        local=True,
        help_text="The moment of the question, by which it says `yesterday`; now unless named. Hides nothing. Its "
        "offset tells the day; with `Z` the subject's own clock does.",
    )
    filter = FilterField(required=False, help_text="Narrows the memories of this turn, as it narrows `recall`.")
    min_relevance = NumberField(
        least=0, most=1, required=False, help_text="From which relevance on a memory helps; by default the policy's."
    )
    strict = FlagField(default=False, help_text="Nothing that is less relevant fills what room is left. " + STRICT_HELP)
    include = ListOfField(
        child=OneOfField(choices=names(["knowledge", "tasks", "replies"])),
        most=3,
        required=False,
        help_text="`tasks` brings the tasks in progress, `replies` what the assistant said, which otherwise comes only "
        "where the query asks for it or it very probably helps. No documents are held here yet: `knowledge` is "
        "accepted, brings nothing, and the answer's `degraded_reason` says `documents_unavailable`.",
    )


class PromptMessageOutput(Output):
    """One message to send; members that a message does not need are absent."""

    role = serializers.ChoiceField(choices=["system", "user", "assistant", "tool"])
    content = serializers.CharField(allow_null=True)
    name = serializers.CharField(required=False)
    tool_calls = serializers.ListField(child=serializers.DictField(), required=False)
    tool_call_id = serializers.CharField(required=False)


class SectionOutput(Output):
    """One section: its tokens, the items in it, and how many were left out."""

    name = serializers.ChoiceField(choices=[str(name) for name in SectionName])
    tokens = serializers.IntegerField()
    items = serializers.IntegerField()
    dropped = serializers.IntegerField()


class TokensOutput(Output):
    """``total`` is at most ``budget``; ``full_history`` is what sending every message would cost."""

    total = serializers.IntegerField()
    budget = serializers.IntegerField()
    full_history = serializers.IntegerField()
    saved_ratio = serializers.FloatField()
    counter = serializers.CharField()


class CacheOutput(Output):
    """The stable prefix: message 0, cacheable up to the end of each message in ``breakpoints``."""

    prefix_hash = serializers.CharField()
    prefix_tokens = serializers.IntegerField()
    breakpoints = serializers.ListField(child=serializers.IntegerField())


class ModelRouteOutput(Output):
    """Which tier of model the turn calls for: by intent; strong when the user ``corrected`` the answer before, and
    while that is ``unsettled``; by intent again once it is ``settled``."""

    tier = serializers.ChoiceField(choices=get_args(Tier))
    reason = serializers.ChoiceField(choices=get_args(Cause))


class ContextOutput(Output):
    """A context and what it says about itself. In text format ``messages`` is empty and ``text`` holds it all."""

    messages = PromptMessageOutput(many=True)
    text = serializers.CharField(allow_null=True)
    sections = SectionOutput(many=True)
    tokens = TokensOutput()
    intent = serializers.CharField(allow_null=True)
    phase = serializers.CharField(allow_null=True)
    model_route = ModelRouteOutput(allow_null=True)
    cache = CacheOutput()
    prompt = PromptOutput(allow_null=True)
    abstained = AbstainedOutput(
        allow_null=True, help_text="Why no memory of this turn stands in it; the prefix is no part of it."
    )
    receipt_id = serializers.UUIDField(
        allow_null=True, help_text="None for a subject that nobody knows: it stays unknown."
    )
    policy_version = serializers.CharField()
    experiment = ExperimentOutput(allow_null=True)
    degraded_reason = serializers.CharField(allow_null=True)
    timings_ms = serializers.DictField(child=serializers.FloatField())


class ContextView(SubjectView):
    """Contexts for one subject."""

    noun = "context"
    required_scope = MEMORY_READ

    @operation(
        "get_context",
        request=ContextInput,
        answer=ContextOutput,
        errors=[BudgetTooSmall, MemoryTooLarge, FilterTooCostly],
    )
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Assemble a context and leave its receipt; an unknown subject gets an answer and leaves nothing."""
        given, policies = ContextInput.parse(request), self.policies_for(subject_id)
        asked, wanted = asked_of(given, policies), vendor_request_of(given)

        def at_once() -> Reply:
            made = build_context(self.tenant_id, subject_id, asked, policies.context)
            return reply_of(made, prompt_of(self.tenant_id, made.subject_id, made.context, wanted))

        def prepared() -> Callable[[], Reply]:
            draft = draft_context(self.tenant_id, subject_id, asked, policies.context)
            return partial(answer_draft, draft, prompt_of(self.tenant_id, draft.subject_id, draft.context, wanted))

        return write_prepared(request, at_once, prepared)


def asked_of(given: dict[str, Any], policies: Policies) -> ContextQuery:
    """Return the checked body as a request for a context."""
    request = ContextRequest(
        query=given["query"],
        system_prompt=given.get("system_prompt", ""),
        budget=BudgetRequest(**given.get("budget", {})),
        intent=given.get("intent"),
        phase=given.get("phase"),
        order=given.get("order"),
        format=given["format"],
        style=given.get("style"),
        guide=given["guide"],
        at=given.get("at"),
        tenant_locale=policies.tenant_locale,
        min_relevance=given.get("min_relevance"),
        strict=given["strict"],
    )
    included = given.get("include", ())
    return ContextQuery(
        request,
        policies.version,
        given.get("conversation_id"),
        tasks="tasks" in included,
        knowledge="knowledge" in included,
        replies="replies" in included,
        filter=given.get("filter"),
        recall=policies.recall,
        experiment=policies.experiment,
        arm=policies.arm,
        by_model=given["understand"] == "model",
    )


def prompt_of(
    tenant_id: UUID, subject_id: UUID | None, context: AssembledContext, wanted: VendorRequest | None
) -> VendorPrompt | None:
    """Return a context in the form that is wanted, if any is; no transaction may be open."""
    return vendor_prompt(tenant_id, subject_id, context, wanted) if wanted else None


def answer_draft(draft: Draft, prompt: VendorPrompt | None) -> Reply:
    """Leave the receipt of a context, or of one made anew in its place, inside the open transaction."""
    made = leave_receipt_or_anew(draft)
    if prompt is not None and made.context is not draft.context:
        prompt = prompt_made_anew(prompt, draft.context, made.context)
    return reply_of(made, prompt)


def reply_of(made: ContextAnswer, prompt: VendorPrompt | None) -> Reply:
    """Return a context as an answer."""
    return Reply(shown_context(made, prompt), subject_id=made.subject_id)


def shown_context(made: ContextAnswer, prompt: VendorPrompt | None) -> dict[str, Any]:
    """Return a context as the API shows it."""
    context, asked = made.context, made.asked
    return {
        "messages": context.messages,
        "text": context.text,
        "sections": shown_sections(context.sections),
        "tokens": shown_tokens(context.tokens),
        "intent": context.intent,
        "phase": context.phase,
        "model_route": {"tier": made.route.tier, "reason": made.route.reason},
        "cache": {
            "prefix_hash": context.prefix.hash,
            "prefix_tokens": context.prefix.tokens,
            "breakpoints": context.prefix.breakpoints,
        },
        "prompt": shown_prompt(prompt),
        "abstained": {"reason": context.abstained} if context.abstained else None,
        "receipt_id": made.receipt_left.id if made.receipt_left else None,
        "policy_version": asked.policy_version,
        "experiment": serialize_experiment_arm(asked.experiment, asked.arm),
        "degraded_reason": made.degraded_reason,
        "timings_ms": made.timings_ms,
    }


def shown_route(receipt: Receipt) -> dict[str, Any] | None:
    """Return which tier of model a turn called for; None of receipts of before it was kept."""
    route = ModelRoute.of(receipt.model_route)
    return {"tier": route.tier, "reason": route.reason} if route else None


urlpatterns = [path("subjects/<product_id:subject_id>/context", ContextView.as_view(), name="context")]
