"""``POST /compat/anthropic/memory``: one command of the memory tool.

An error that a model can mend comes back as an answer with ``is_error``, since it is the tool's result; one that a
product must mend is a problem, as everywhere.
"""

from collections.abc import Callable
from typing import cast
from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE, require_scope
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.compat.anthropic.command_input import MemoryCommandInput, make_command
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.memory_files.command_types import CommandRefused, InsertText, ReplaceText, ViewPath, WritingCommand
from snapshots.memory_files.commands import run_writing_command, view_path
from snapshots.memory_files.notes_from_added_lines import prepare_notes_of_added_lines, store_notes_of_added_lines
from snapshots.memory_files.paths import GENERATED, normalise_path
from tenants.isolation import tenant_tx


class MemoryToolView(SubjectView):
    """It is not part of the OpenAPI document. A write may be repeated under its Idempotency-Key."""

    schema = None
    noun = "memory files"
    required_scope = MEMORY_READ

    @property
    def subject_key(self) -> str:
        """The person of the body, which need not be a text yet: no key is bound to another kind of value."""
        body = self.request.data
        return cast(str, body.get("subject_id")) if isinstance(body, dict) else ""

    def post(self, request: Request) -> HttpResponse:
        sent = MemoryCommandInput.parse(request)
        command = make_command(sent)
        try:
            if isinstance(command, ViewPath):
                return Response(render_answer(self.run_view_command(sent["subject_id"], command)))
            require_scope(request, MEMORY_WRITE, self.noun)
            return write_once(request, self.prepare_write(sent["subject_id"], command))
        except CommandRefused as refused:
            return Response(render_answer(str(refused), is_error=True))

    def run_view_command(self, subject_id: str, command: ViewPath) -> str:
        version = self.policies_for(subject_id).version
        with tenant_tx(self.tenant_id):
            return view_path(subject_id, command, version, self.actor)

    def prepare_write(self, subject_id: str, command: WritingCommand) -> Callable[[], Reply]:
        """Return the function that writes in an open transaction. An edit of a generated file makes notes."""
        if not isinstance(command, InsertText | ReplaceText) or normalise_path(command.path) not in GENERATED:
            return lambda: make_reply(*run_writing_command(subject_id, command, self.actor))
        offers = prepare_notes_of_added_lines(self.tenant_id, subject_id, command, active_embedders())

        def store() -> Reply:
            self.reserve_quota(snapshots=len(offers))
            return make_reply(*store_notes_of_added_lines(subject_id, command, offers, self.actor))

        return store


def make_reply(text: str, subject_row: UUID) -> Reply:
    return Reply(render_answer(text), subject_id=subject_row)


def render_answer(text: str, *, is_error: bool = False) -> dict[str, object]:
    return {"text": text, "is_error": is_error}
