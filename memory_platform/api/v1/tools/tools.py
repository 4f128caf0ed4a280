"""``/v1/tools`` and ``.../tools/{tool}`` of a subject: memory as tools of the product's model."""

from functools import partial
from typing import Any

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.fields import JsonObjectField, OneOfField, ProductIdField, raise_field_error
from memory_platform.api.requests.json_guard import parse_json
from memory_platform.api.requests.sensitive_values import Sensitive
from memory_platform.api.requests.serializers import Input, Output, QueryInput
from memory_platform.api.v1.tools.guidance import GUIDANCE
from memory_platform.api.v1.tools.reading_tools import forget_for_model, recall_for_model
from memory_platform.api.v1.tools.saving_tools import SAVERS, check_arguments, save_once
from memory_platform.api.v1.tools.tool_calls import REASONS, VERDICTS, ToolCall
from memory_platform.api.v1.tools.tool_catalogue import TOOLS
from memory_platform.api.v1.tools.tool_definition import LANGUAGES, SHAPES
from memory_platform.api.views.base_views import SubjectView, TenantView
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import InvalidInput, NotFound
from profiles.services.subjects import ensure_subject
from profiles.services.value_claims import NOT_A_LIST, OLDER, WEAKER

RECALL = "recall"


class ToolsInput(QueryInput):
    """The form of the tool definitions."""

    format = OneOfField(choices=list(SHAPES), default="openai", help_text="The vendor's form.")
    language = OneOfField(choices=LANGUAGES, default="en", help_text="Language of the descriptions for the model.")


class ToolsOutput(Output):
    """Definitions of the tools for one vendor."""

    format = serializers.ChoiceField(choices=list(SHAPES), help_text="The vendor's form.")
    language = serializers.ChoiceField(choices=LANGUAGES, help_text="Language of the descriptions for the model.")
    tools = serializers.ListField(
        child=serializers.DictField(), help_text="Put them into the vendor's request as they are."
    )
    guidance = serializers.CharField(help_text="A text for the system prompt: when to save and when not to.")


class ArgumentsField(JsonObjectField):
    """Arguments as the model gave them: an object, or the string of JSON that OpenAI's models answer with."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            try:
                data = parse_json(data.encode())
            except InvalidInput:
                raise_field_error("malformed_json", "Must be a JSON object, or a string that holds one.")
        return super().to_internal_value(data)


class ToolCallInput(Input):
    """A call of the model."""

    arguments = ArgumentsField(help_text="Arguments as the model gave them: an object, or a string of JSON.")
    conversation_id = ProductIdField(
        required=False, help_text="The conversation of the call: a fact is saved once in it."
    )


class ToolAnswerOutput(Output):
    """The result of a call. Give it to the model as the tool's result."""

    tool = serializers.CharField(help_text="Name of the tool.")
    verdict = serializers.ChoiceField(choices=VERDICTS, help_text="What the call did.")
    reason = serializers.ChoiceField(
        choices=[*REASONS, NOT_A_LIST, OLDER, WEAKER], allow_null=True, help_text="Why, for a verdict that needs it."
    )
    result = serializers.DictField(allow_null=True, help_text="What was found or written; null when it was nothing.")


class ToolsView(TenantView):
    noun = "tools"
    required_scope = MEMORY_READ
    serves_bound_keys = True

    @operation("list_tools", query=ToolsInput, answer=ToolsOutput)
    def get(self, request: Request) -> Response:
        """List the definitions of all tools in one vendor's form, and a guidance text for the system prompt."""
        asked = ToolsInput.parse(request)
        shape, language = SHAPES[asked["format"]], asked["language"]
        tools = [shape(tool, language) for tool in TOOLS.values()]
        return Response({**asked, "tools": tools, "guidance": GUIDANCE.choose_text(language)})


class RecallToolView(SubjectView):
    """Calls of the tool that only reads. They need the same scope as ``POST recall``."""

    noun = "tools"
    required_scope = MEMORY_READ

    @operation("call_recall_tool", request=ToolCallInput, answer=ToolAnswerOutput, reads=True)
    def post(self, request: Request, subject_id: str) -> Response:
        """Call the tool `recall`: find memories in a short form for the model. Nothing is written."""
        given = ToolCallInput.parse(request)
        call = ToolCall(RECALL, TOOLS[RECALL].parse(given["arguments"]), given.get("conversation_id", ""))
        answer = recall_for_model(self.tenant_id, subject_id, call, self.policies_for(subject_id))
        return Response(ToolAnswerOutput.render(answer))


class ToolView(SubjectView):
    noun = "tools"
    required_scope = MEMORY_WRITE

    @operation("call_tool", request=ToolCallInput, answer=ToolAnswerOutput, errors=[NotFound, Sensitive])
    def post(self, request: Request, subject_id: str, tool: str) -> HttpResponse:
        """Call a tool that saves or forgets. Saving creates the subject when it is new.

        In one conversation a fact is saved once; a repetition is `unchanged` with the reason `already_saved`. Reasons
        of `rejected` are `one_off` (`lasting` is false), `instruction`, `forgotten`, `not_remembered` and
        `weaker_than_current`. Card and identity numbers and secrets are 422, as in every other request.
        """
        given = ToolCallInput.parse(request)
        if tool not in TOOLS:
            raise NotFound(f"No tool has this name. Allowed: {', '.join(TOOLS)}.")
        call = ToolCall(tool, TOOLS[tool].parse(given["arguments"]), given.get("conversation_id", ""))
        if tool in SAVERS:
            check_arguments(tool, call.arguments)
            return write_once(request, partial(reply_to_save, subject_id, call))
        return write_in_scopes(request, partial(self.reply_to_forget, subject_id, call))

    def reply_to_forget(self, subject_id: str, call: ToolCall) -> Reply:
        row_id, answer = forget_for_model(self.tenant_id, subject_id, call, by=self.actor)
        return Reply(ToolAnswerOutput.render(answer), subject_id=row_id)


def reply_to_save(subject_id: str, call: ToolCall) -> Reply:
    subject = ensure_subject(subject_id)
    return Reply(ToolAnswerOutput.render(save_once(subject, call)), subject_id=subject.id)


urlpatterns = [
    path("tools", ToolsView.as_view(), name="tools"),
    path(f"subjects/<product_id:subject_id>/tools/{RECALL}", RecallToolView.as_view(), name="recall-tool"),
    path("subjects/<product_id:subject_id>/tools/<product_id:tool>", ToolView.as_view(), name="tool"),
]
