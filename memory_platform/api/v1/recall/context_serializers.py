"""The request and the answer of a context, also as the body of one vendor's request."""

from typing import Any, get_args
from uuid import UUID

from rest_framework import serializers

from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    RoundedField,
    TextField,
    WholeField,
    make_field_error,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.recall.common_recall_fields import (
    INTENT_HELP,
    PHASE_HELP,
    POLICY_VERSION_HELP,
    STRICT_HELP,
    AbstainedOutput,
    DegradedReasonField,
    ExperimentOutput,
    make_intent_output,
    make_phase_output,
    render_experiment,
)
from memory_platform.api.v1.recall.document_scope import (
    DocumentScopeFields,
    PassageCitationOutput,
    refuse_scope_without_documents,
)
from memory_platform.api.v1.recall.filter_field import FILTER_HELP, FilterField
from memory_platform.providers.prompt_cache.vendor_requests import VENDORS
from snapshots.context.pipeline import ContextAnswer
from snapshots.context.turn.model_tier import Tier, TierCause
from snapshots.context.turn.turn_classifiers import INTENTS, PHASES
from snapshots.context.values import SectionName
from snapshots.context.writing.vendor_prompts import KEPT_BY, VendorPrompt, VendorRequest
from snapshots.prompt_cache.cache_prefix import NotKept
from snapshots.recall.ranking.score_factors import DIGITS

NAME_BYTES = 300
TOKENS_MOST = 1_000_000
# Who detects intent and phase if the caller does not name them: rules, or the chat model of the purpose ``rewrite``.
READERS = ("rules", "model")


class PromptFields(StrictSerializer):
    """The vendor that the context is for."""

    vendor = OneOfField(
        choices=sorted(VENDORS),
        required=False,
        help_text="Adds `prompt`: the messages in the form of this vendor's API. Needs the format `messages`.",
    )
    cached_content = FlagField(
        default=False, help_text=f"Lets the vendor keep the stable prefix between requests. Needs the vendor {KEPT_BY}."
    )
    cached_content_lost = TextField(
        max_bytes=NAME_BYTES,
        required=False,
        help_text="Name of cached content that the vendor no longer has; the platform makes it anew.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raise ValidationError for a vendor without messages, or cached content of a vendor that caches nothing."""
        if "vendor" in attrs and attrs["format"] != "messages":
            raise make_field_error("vendor", "contradiction", "Needs the format messages.")
        for name in ("cached_content", "cached_content_lost"):
            if attrs.get(name) and attrs.get("vendor") != KEPT_BY:
                raise make_field_error(name, "contradiction", f"Needs the vendor {KEPT_BY}.")
        return attrs


class CachedContentOutput(Output):
    """The part of the prompt that the vendor keeps."""

    name = serializers.CharField(help_text="Name of the cached content, for the vendor's request.")
    model = serializers.CharField(help_text="The only model that can read it.")
    tokens = serializers.IntegerField(help_text="Its tokens as the vendor counts them; 0 if the vendor does not say.")
    expires_at = serializers.DateTimeField(help_text="When the vendor drops it.")


class PromptOutput(Output):
    """The messages of a context in the form of a vendor's API."""

    vendor = serializers.ChoiceField(choices=sorted(VENDORS), help_text="The vendor.")
    body = serializers.DictField(help_text="Members for the body of the vendor's request.")
    cached_content = CachedContentOutput(allow_null=True, help_text="The cached content, if there is any.")
    degraded_reason = serializers.ChoiceField(
        source="missing",
        choices=list(NotKept),
        allow_null=True,
        help_text="Why there is no cached content although it was asked for, else null.",
    )

    @staticmethod
    def render_cached_content(prompt: VendorPrompt) -> dict[str, Any] | None:
        return CachedContentOutput.render(prompt.cached_prompt, model=prompt.model) if prompt.cached_prompt else None


def read_vendor_request(body: dict[str, Any]) -> VendorRequest | None:
    """Return the vendor's part of a checked body; None if it names no vendor."""
    if "vendor" not in body:
        return None
    lost = body.get("cached_content_lost", "")
    return VendorRequest(body["vendor"], cached_content=body["cached_content"] or bool(lost), lost_name=lost)


def make_section_budget_field(section: str, more: str = "") -> WholeField:
    return WholeField(
        least=0, most=TOKENS_MOST, required=False, help_text=f"Tokens for {section}. Default: set by the policy.{more}"
    )


class BudgetInput(StrictSerializer):
    """How many tokens the context and its sections may have."""

    total = WholeField(
        least=1, most=TOKENS_MOST, required=False, help_text="Tokens of the whole context. Default: set by the policy."
    )
    system = make_section_budget_field("the system prompt")
    profile = make_section_budget_field("the profile")
    memory = make_section_budget_field(
        "memories",
        " If it is given, the best memories fill it even if they do not help; add `min_relevance` to prevent that.",
    )
    window = make_section_budget_field("the latest messages of the conversation")
    knowledge = make_section_budget_field("documents")


class ContextInput(PromptFields, DocumentScopeFields, Input):
    """The user's message, and how to make the context for it."""

    query = TextField(allow_empty=True, help_text="What the user says now.")
    conversation_id = ProductIdField(
        required=False, help_text="The conversation whose latest messages the context includes."
    )
    system_prompt = TextField(allow_empty=True, required=False, help_text="Your system prompt. It comes first.")
    budget = BudgetInput(required=False, help_text="How many tokens the context and its sections may have.")
    intent = OneOfField(
        choices=INTENTS,
        required=False,
        help_text=f"{INTENT_HELP} It sets the size of the memory section. Default: detected, without that effect.",
    )
    phase = OneOfField(choices=PHASES, required=False, help_text=f"{PHASE_HELP} Default: detected.")
    understand = OneOfField(
        choices=READERS, default="rules", help_text="How to detect intent and phase: by rules, or by a chat model."
    )
    order = OneOfField(
        choices=("u_shape", "relevance_first"),
        required=False,
        help_text="Order of the memories: `relevance_first` (best first) or `u_shape` (best first, second best last). "
        "Memories that share a date or an element stay together. Default: `u_shape`, or oldest first if all notes fit.",
    )
    format = OneOfField(
        choices=("messages", "text", "plain"),
        default="messages",
        help_text="`messages` (for a chat API), `text` (one text), `plain` (messages with memories as plain lines).",
    )
    style_ = OneOfField(
        choices=("grouped", "compact", "full"),
        required=False,
        help_text="How memories are written: `full` (one element each), `grouped` (one element for those with the same "
        "source and confidence), `compact` (one element for all, without attributes). Default: `compact` if the total "
        "is at most 1,000 tokens, else `grouped`.",
    )
    guide = FlagField(default=True, help_text="Adds a short explanation for the model of how to read memories.")
    at = InstantField(
        required=False,
        local=True,
        help_text="Time of the question, for words such as `yesterday`. It hides no memory. Its offset decides the "
        "day; with `Z`, the user's time zone does. Default: now.",
    )
    filter = FilterField(required=False, help_text=FILTER_HELP)
    min_relevance = NumberField(
        least=0,
        most=1,
        required=False,
        help_text="Leaves out memories with a smaller relevance. Default: set by the policy.",
    )
    strict = FlagField(
        default=False, help_text=f"{STRICT_HELP} Memories with a smaller relevance do not fill the rest of the budget."
    )
    include = ListOfField(
        child=OneOfField(choices=("knowledge", "tasks", "replies")),
        most=3,
        required=False,
        help_text="Adds `tasks` (tasks in progress) and `replies` (what the assistant said; without it, only if the "
        "query asks for it or it very probably helps) and `knowledge` (passages of the tenant's documents that answer; "
        "if they cannot be searched, `degraded_reason` is `documents_unavailable`).",
    )
    citations = FlagField(
        default=False,
        help_text="Gives each passage a number and asks the model to cite it. Needs `knowledge` in `include`.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raise ValidationError for members that contradict each other."""
        if "knowledge" not in attrs.get("include", ()):
            refuse_scope_without_documents(attrs, ("collections", "access_labels", "citations"), "knowledge in include")
        return super().validate(attrs)


class PromptMessageOutput(Output):
    """A message to send to the model. Members that it does not need are absent."""

    role = serializers.ChoiceField(choices=["system", "user", "assistant", "tool"], help_text="Who speaks.")
    content = serializers.CharField(allow_null=True, help_text="The text; null for a message that only calls tools.")
    name = serializers.CharField(required=False, help_text="Name of the speaker.")
    tool_calls = serializers.ListField(
        child=serializers.DictField(), required=False, help_text="Tool calls of the assistant, as they were posted."
    )
    tool_call_id = serializers.CharField(required=False, help_text="Id of the call that a tool message answers.")


class SectionOutput(Output):
    """A section of the context."""

    name = serializers.ChoiceField(choices=list(SectionName), help_text="Name of the section.")
    tokens = serializers.IntegerField(help_text="Tokens of the section.")
    items = serializers.IntegerField(help_text="Items in the section.")
    dropped = serializers.IntegerField(help_text="Items that were left out.")


class TokensOutput(Output):
    """The tokens of a context."""

    total = serializers.IntegerField(help_text="Tokens of the context; at most `budget`.")
    budget = serializers.IntegerField(help_text="The budget.")
    full_history = serializers.IntegerField(help_text="Tokens of all messages of the subject ever sent.")
    saved_ratio = serializers.FloatField(help_text="Part of `full_history` that the context saves, 0 to 1.")
    counter = serializers.CharField(help_text="Name and version of what counted the tokens, such as `estimate-2`.")


class CacheOutput(Output):
    """The stable prefix of the context, which a vendor can cache."""

    prefix_hash = serializers.CharField(source="hash", help_text="SHA-256 of message 0; changes with its content.")
    prefix_tokens = serializers.IntegerField(source="tokens", help_text="Tokens of message 0.")
    breakpoints = serializers.ListField(
        child=serializers.IntegerField(), help_text="Indexes of the messages up to whose end the prompt can be cached."
    )


class ContextCitationOutput(PassageCitationOutput):
    """A passage of a document that stands in the context."""

    number = serializers.IntegerField(help_text="Its number: with `citations`, what the model cites, such as `[1]`.")
    memory_id = serializers.CharField(help_text="Its id in the receipt.")
    relevance = RoundedField(digits=DIGITS, help_text="How well it fits the question, 0 to 1; no probability.")


class ModelRouteOutput(Output):
    """The tier of model that this turn needs."""

    tier = serializers.ChoiceField(choices=get_args(Tier), help_text="How strong the model should be.")
    reason = serializers.ChoiceField(
        choices=get_args(TierCause),
        help_text="`intent` (what the user wants), `corrected` (the user corrected the last answer), `unsettled` (that "
        "was a few turns ago, and no answer was good since), `settled` (one was).",
    )


class ContextOutput(Output):
    """A context for the model, and how it was made."""

    messages = PromptMessageOutput(
        source="context.messages", many=True, help_text="Messages to send as they are; empty with the format `text`."
    )
    text = serializers.CharField(
        source="context.text",
        allow_null=True,
        allow_blank=True,
        help_text="The whole context with the format `text`, else null.",
    )
    sections = SectionOutput(source="context.sections", many=True, help_text="The sections, in their order.")
    tokens = TokensOutput(source="context.tokens", help_text="Tokens of the context.")
    intent = make_intent_output(source="context.intent", allow_null=True)
    phase = make_phase_output(source="context.phase", allow_null=True)
    model_route = ModelRouteOutput(source="route", allow_null=True, help_text="The tier of model that this turn needs.")
    cache = CacheOutput(source="context.prefix", help_text="The stable prefix, which a vendor can cache.")
    prompt = PromptOutput(allow_null=True, help_text="The messages in the form of `vendor`; null without a vendor.")
    citations = ContextCitationOutput(
        many=True, help_text="The passages of documents in the context, in their order. Empty without `knowledge`."
    )
    abstained = AbstainedOutput(
        allow_null=True, help_text="Why there is no memory for this message, else null. The profile does not count."
    )
    receipt_id = serializers.UUIDField(
        allow_null=True, help_text="Id of the receipt, for the outcome; null for an unknown subject."
    )
    policy_version = serializers.CharField(source="call.policy_version", help_text=POLICY_VERSION_HELP)
    experiment = ExperimentOutput(allow_null=True, help_text="The experiment that the subject takes part in, if any.")
    degraded_reason = DegradedReasonField()
    timings_ms = serializers.DictField(child=serializers.FloatField(), help_text="Milliseconds by stage.")

    @staticmethod
    def render_abstained(answer: ContextAnswer) -> dict[str, Any] | None:
        return {"reason": answer.context.abstained} if answer.context.abstained else None

    @staticmethod
    def render_citations(answer: ContextAnswer) -> list[dict[str, Any]]:
        return [
            PassageCitationOutput.render(one.source.citation)
            | {"number": one.source.number, "memory_id": one.id, "relevance": round(one.relevance or 0.0, DIGITS)}
            for one in answer.context.decisions
            if one.source and one.position is not None
        ]

    @staticmethod
    def render_receipt_id(answer: ContextAnswer) -> UUID | None:
        return answer.optional_receipt.id if answer.optional_receipt else None

    @staticmethod
    def render_experiment(answer: ContextAnswer) -> dict[str, Any] | None:
        return render_experiment(answer.call)
