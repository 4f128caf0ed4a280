"""``/v1/tools`` and ``.../tools/{tool}`` of a subject: memory as tools of the product's model (rows A1, A3)."""

from functools import partial
from typing import Any

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.reference import examples
from memory_platform.api.requests.fields import JsonObjectField, OneOfField, ProductIdField, names, refuse
from memory_platform.api.requests.json_guard import parse_json
from memory_platform.api.requests.serializers import Input, Output, QueryInput
from memory_platform.api.tools.catalogue import TOOLS
from memory_platform.api.tools.definitions import LANGUAGES
from memory_platform.api.tools.formats import SHAPES
from memory_platform.api.tools.guidance import GUIDANCE
from memory_platform.api.tools.inputs import parse_arguments
from memory_platform.api.tools.reading_tools import forget_for_model, recall_for_model
from memory_platform.api.tools.saving_tools import SAVERS, check_arguments, save_once
from memory_platform.api.tools.values import VERDICTS, ToolAnswer, ToolCall
from memory_platform.api.views.base import SubjectView, TenantView
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.kernel.errors import InvalidInput, NotFound
from profiles.services.subjects import ensure_subject

RECALL = "recall"


class ToolsInput(QueryInput):
    """For which vendor, and in which language models read what the tools are for."""

    format = OneOfField(choices=names(tuple(SHAPES)), default="openai")
    language = OneOfField(choices=names(LANGUAGES), default="en")


class ToolsOutput(Output):
    """``tools`` go into the vendor's request as they are; ``guidance`` is made for a system prompt."""

    format = serializers.ChoiceField(choices=names(tuple(SHAPES)))
    language = serializers.ChoiceField(choices=names(LANGUAGES))
    tools = serializers.ListField(child=serializers.DictField())
    guidance = serializers.CharField()


class ArgumentsField(JsonObjectField):
    """Arguments as the model gave them: an object, or the string of JSON that OpenAI's models answer with."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the arguments. Raises ValidationError."""
        if isinstance(data, str):
            try:
                data = parse_json(data.encode())
            except InvalidInput:
                refuse("malformed_json", "Is not a JSON object in a string.")
        return super().to_internal_value(data)


class ToolCallInput(Input):
    """A call as the model made it. With ``conversation_id`` one fact is saved once in that conversation."""

    arguments = ArgumentsField()
    conversation_id = ProductIdField(required=False)


class ToolAnswerOutput(Output):
    """What a call did: hand it to the model as the tool's result."""

    tool = serializers.CharField()
    verdict = serializers.ChoiceField(choices=names(VERDICTS))
    reason = serializers.CharField(allow_null=True)
    result = serializers.DictField(allow_null=True)


class ToolsView(TenantView):
    """The tools there are."""

    noun = "tools"
    query_input = ToolsInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[ToolsInput], responses=ToolsOutput)
    def get(self, request: Request) -> Response:
        """Return the definitions of all tools in one vendor's shape, and what teaches a model when to save."""
        asked = ToolsInput.parse(request)
        shape, language = SHAPES[asked["format"]], asked["language"]
        tools = [shape(tool, language) for tool in TOOLS.values()]
        return Response({**asked, "tools": tools, "guidance": GUIDANCE.in_(language)})


class RecallToolView(SubjectView):
    """Calls of the tool that only reads: it needs no more than ``POST recall``."""

    noun = "tools"
    required_scope = MEMORY_READ

    @extend_schema(request=ToolCallInput, responses=ToolAnswerOutput)
    def post(self, request: Request, subject_id: str) -> Response:
        """Recall for a model: what is remembered, in few words. Creates nothing."""
        given = ToolCallInput.parse(request)
        call = ToolCall(RECALL, parse_arguments(RECALL, given["arguments"]), given.get("conversation_id", ""))
        return Response(
            serialize_tool_answer(recall_for_model(self.tenant_id, subject_id, call, self.policies_for(subject_id)))
        )


class ToolView(SubjectView):
    """Calls of a tool that writes."""

    noun = "tools"
    required_scope = MEMORY_WRITE

    @extend_schema(request=ToolCallInput, responses=ToolAnswerOutput, examples=examples.TOOL_CALLS)
    def post(self, request: Request, subject_id: str, tool: str) -> HttpResponse:
        """Run a tool for a subject and return its verdict; saving makes the subject on first sight.

        Saved once in a conversation: a repetition is ``unchanged``, ``already_saved``. Rejected with a reason:
        ``one_off`` (``lasting`` is false), ``instruction``, ``forgotten``, ``not_remembered``,
        ``weaker_than_current``. Card and identity numbers and secrets are 422, as at every other door.
        """
        given = ToolCallInput.parse(request)
        if tool not in TOOLS:
            raise NotFound(f"No tool has this name: known are {', '.join(TOOLS)}.")
        call = ToolCall(tool, parse_arguments(tool, given["arguments"]), given.get("conversation_id", ""))
        if tool in SAVERS:
            check_arguments(tool, call.arguments)
            return write_once(request, partial(reply_to_save, subject_id, call))
        return write_in_scopes(request, partial(self.reply_to_forget, subject_id, call))

    def reply_to_forget(self, subject_id: str, call: ToolCall) -> Reply:
        """Forget the memories the call names, in scopes of its own."""
        row_id, answer = forget_for_model(self.tenant_id, subject_id, call, by=self.actor)
        return Reply(serialize_tool_answer(answer), subject_id=row_id)


def reply_to_save(subject_id: str, call: ToolCall) -> Reply:
    """Save one fact inside the open transaction."""
    subject = ensure_subject(subject_id)
    return Reply(serialize_tool_answer(save_once(subject, call)), subject_id=subject.id)


def serialize_tool_answer(answer: ToolAnswer) -> dict[str, Any]:
    return {
        "tool": answer.tool,
        "verdict": answer.verdict,
        "reason": answer.reason or None,
        "result": answer.result,
    }


urlpatterns = [
    path("tools", ToolsView.as_view(), name="tools"),
    path(f"subjects/<product_id:subject_id>/tools/{RECALL}", RecallToolView.as_view(), name="recall-tool"),
    path("subjects/<product_id:subject_id>/tools/<product_id:tool>", ToolView.as_view(), name="tool"),
]
