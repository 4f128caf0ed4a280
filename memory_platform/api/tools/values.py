"""A call of a tool, and its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiles.values import Verdict

ALREADY_SAVED = "already_saved"
"""The same fact was saved in this conversation and still holds."""
ONE_OFF = "one_off"
"""The model said that it is for this time only."""
INSTRUCTION = "instruction"
"""It tells a model what to do with its rules, secrets or powers."""
FORGOTTEN_BY_SUBJECT = "forgotten"
"""The subject had these words forgotten."""
NOT_REMEMBERED = "not_remembered"
"""The conversation is one that nothing is learned from."""
ABSENT = "absent"
"""There was nothing to forget."""

ERASED = "forgotten"
RECALLED = "recalled"
VERDICTS = (*Verdict.values, ERASED, RECALLED)
"""What a call did: those of a write, and those of forgetting and recalling."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool with checked arguments. ``conversation_id`` is the product's own, "" when it did not say."""

    tool: str
    arguments: Mapping[str, Any]
    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call did, and what it has to show: the memory that now holds, a certificate, what was recalled."""

    tool: str
    verdict: str
    reason: str = ""
    result: Mapping[str, Any] | None = None
