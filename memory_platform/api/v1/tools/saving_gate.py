"""Refuse texts that a model must not save: one-offs, instructions, and forgotten words."""

from collections.abc import Iterator
from typing import Any

from memory_platform.api.v1.tools.tool_calls import FORGOTTEN_BY_SUBJECT, INSTRUCTION, NOT_REMEMBERED, ONE_OFF, ToolCall
from profiles.models import Subject
from profiles.services.tombstones import find_forgotten_texts, has_tombstones
from snapshots.models import Conversation
from snapshots.understanding.reading.instruction_classifier import is_instruction
from snapshots.understanding.reading.text_forms import matching_form

# Arguments that are not words of the fact.
NO_WORDS = frozenset({"provenance", "lasting"})


def find_refusal(subject: Subject, call: ToolCall) -> str | None:
    """Return the reason to refuse a saving call, or None. A transaction must be open."""
    if not call.arguments["lasting"]:
        return ONE_OFF
    said = [text for name, value in call.arguments.items() if name not in NO_WORDS for text in texts_of(value)]
    if any(is_instruction(matching_form(text)) for text in said):
        return INSTRUCTION
    if call.conversation_id and _is_conversation_not_remembered(subject, call.conversation_id):
        return NOT_REMEMBERED
    if has_tombstones(subject.id) and find_forgotten_texts(subject.id, said):
        return FORGOTTEN_BY_SUBJECT
    return None


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner)


def _is_conversation_not_remembered(subject: Subject, conversation_id: str) -> bool:
    rows = Conversation.objects.filter(subject_id=subject.id, external_id=conversation_id, remember=False)
    return rows.exists()
